package dev.fairlead.front;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Access to the Jobs of a front cluster that Fairlead runs. Methods never throw for errors of a
 * cluster. Each method waits for at most one call.
 */
public interface FrontGateway {
  /** Gateway of a cluster without Jobs. */
  FrontGateway NONE = new NoFront();

  /**
   * Whether all Jobs are shown.
   *
   * @param trouble the obstacle, or the omitted part, null if none
   * @param unread kinds whose objects are not all shown, each as the start of the names of its
   *     objects, such as {@code workload/}. A missing object of such a kind proves nothing
   */
  record View(boolean complete, @Nullable String trouble, SortedSet<String> unread) {
    public View(boolean complete, @Nullable String trouble) {
      this(complete, trouble, Collections.emptySortedSet());
    }
  }

  /** Begins to watch Jobs, or ends. Returns at once. */
  void follow(boolean on);

  View view();

  /** UIDs of Jobs that changed since the last call, up to the limit. The others come next. */
  List<String> changed(int most);

  /** UIDs of all Jobs that are shown. */
  List<String> all();

  Optional<SeenJob> job(String uid);

  /** Shows the status of these Jobs if they exist, even beyond the limit of shown Jobs. */
  void admit(Collection<String> uids);

  /** The current Job and its request: Read, Gone or Away. */
  FrontAnswer read(String namespace, String name, String uid);

  /** Adds the finalizer, so that the Job exists until it is released, even if it is deleted. */
  FrontAnswer hold(SeenJob seen);

  /** Writes the status if the Job is unchanged. */
  FrontAnswer show(SeenJob seen, FrontStatus status);

  /** Removes the finalizer from the Job. */
  FrontAnswer release(SeenJob seen);
}
