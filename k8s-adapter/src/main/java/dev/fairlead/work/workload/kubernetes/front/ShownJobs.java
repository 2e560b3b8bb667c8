package dev.fairlead.work.workload.kubernetes.front;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a front cluster by UID, from the watch or a later response: within the limits, and beyond
 * them if Fairlead has adopted them. Thread-safe.
 */
public final class ShownJobs {
  private final Map<String, ShownJob> shown = new ConcurrentHashMap<>();
  private final Map<String, ShownJob> leftOut = new ConcurrentHashMap<>();
  private final SortedSet<String> changed = new TreeSet<>();
  private final FrontBound bound;

  public ShownJobs(FrontBound bound) {
    this.bound = bound;
  }

  /** Applies a change from the watch. */
  public void moved(@Nullable ShownJob before, @Nullable ShownJob now) {
    synchronized (bound) {
      if (before != null && (now == null || !before.uid().equals(now.uid()))) {
        if (shown.remove(before.uid()) != null) {
          bound.left(before.seen().namespace());
        }
        leftOut.remove(before.uid());
        changed(before.uid());
      }
      if (now == null) {
        return;
      }
      ShownJob shows = shown.get(now.uid());
      if (shows != null && shows.seen().version().equals(now.seen().version())) {
        shown.put(now.uid(), now); // the watch repeats a response
        return;
      }
      if (shows != null || bound.admits(now.seen().namespace())) {
        show(now);
      } else {
        leftOut.put(now.uid(), now);
      }
    }
  }

  private void show(ShownJob now) {
    leftOut.remove(now.uid());
    shown.put(now.uid(), now);
    changed(now.uid());
  }

  /** Shows these Jobs if they exist, even beyond the limits. */
  public void admit(Collection<String> uids) {
    synchronized (bound) {
      for (String uid : uids) {
        ShownJob job = leftOut.get(uid);
        if (job != null) {
          bound.exceed(job.seen().namespace());
          show(job);
        }
      }
    }
  }

  /**
   * Applies the response to a read. Other writers may have changed the Job.
   *
   * @param before the Job as shown before the read, null if it was not shown
   */
  public void read(@Nullable ShownJob before, ShownJob now) {
    if (before != null) {
      wrote(before.seen().version(), now);
      if (!before.seen().version().equals(now.seen().version())) {
        changed(now.uid());
      }
    }
  }

  /**
   * Applies the response to a write of Fairlead. It contains no change of another writer, so the
   * same version in the watch is not a change. If the watch has shown another version since the
   * write began, that version remains, because it may be newer than the response.
   *
   * @param from the version that was written to
   */
  public void wrote(String from, ShownJob now) {
    shown.computeIfPresent(
        now.uid(), (uid, before) -> before.seen().version().equals(from) ? now : before);
  }

  private void changed(String uid) {
    synchronized (changed) {
      changed.add(uid);
    }
  }

  /** Returns UIDs that changed since the last call, up to a maximum number. */
  public List<String> changed(int most) {
    List<String> some = new ArrayList<>();
    synchronized (changed) {
      Iterator<String> next = changed.iterator();
      while (next.hasNext() && some.size() < most) {
        some.add(next.next());
        next.remove();
      }
    }
    return some;
  }

  public List<String> all() {
    return List.copyOf(shown.keySet());
  }

  public @Nullable ShownJob get(String uid) {
    return shown.get(uid);
  }
}
