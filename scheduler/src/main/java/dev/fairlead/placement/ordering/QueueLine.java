package dev.fairlead.placement.ordering;

import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The jobs of one queue that may start, in their order. */
public final class QueueLine {
  private final QuotaNode queue;
  private final boolean strict;
  private final List<Waiting> line = new ArrayList<>();
  private int head;
  private boolean blocked;

  QueueLine(QuotaNode queue) {
    this.queue = queue;
    QueueSettings settings = queue.queue();
    strict = settings != null && settings.order() == QueueSettings.Order.STRICT_FIFO;
  }

  void add(Waiting waiting) {
    line.add(waiting);
  }

  void sort() {
    line.sort(Waiting.ORDER);
  }

  public QuotaNode queue() {
    return queue;
  }

  /** Whether nobody passes a head that waits. */
  public boolean strict() {
    return strict;
  }

  /** Its head waits, so those behind it do too. */
  public void block() {
    blocked |= strict;
  }

  public boolean blocked() {
    return blocked;
  }

  /**
   * The first job that has not had its turn, null for none. Nobody passes one for whom a place is
   * kept in a strict queue.
   */
  public @Nullable Waiting head() {
    while (head < line.size() && line.get(head).done()) {
      if (line.get(head).awaits()) {
        block();
      }
      head++;
    }
    return head < line.size() ? line.get(head) : null;
  }
}
