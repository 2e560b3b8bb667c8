package dev.fairlead.work.placement.ordering;

import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.PendingJob;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job that may start now, with the elements that it offers. */
public final class PendingJobEntry {
  /** Orders by priority, then submit time, then id. */
  public static final Comparator<PendingJobEntry> ORDER = (a, b) -> compare(a.job, b.job);

  private final Job job;
  private final EquivalenceClass equals;
  private List<PendingJob.Offer> ready;
  private @Nullable Blocker rest;
  private boolean done;
  private boolean awaits;
  private Runnable onPlaced = () -> {};
  private Runnable onTaken = () -> {};

  /**
   * @param ready elements that may start, by index, at least one
   * @param backOff blocker of other elements, null if none
   */
  PendingJobEntry(
      Job job, EquivalenceClass equals, List<PendingJob.Offer> ready, @Nullable Blocker backOff) {
    this.job = job;
    this.equals = equals;
    this.ready = ready;
    rest = backOff;
  }

  static int compare(Job a, Job b) {
    int byPriority = Integer.compare(b.priority(), a.priority());
    int byTime = byPriority != 0 ? byPriority : a.createdAt().compareTo(b.createdAt());
    return byTime != 0 ? byTime : a.id().compareTo(b.id());
  }

  public Job job() {
    return job;
  }

  public EquivalenceClass equivalenceClass() {
    return equals;
  }

  /** Returns the number of elements that may start now. */
  int ready() {
    return ready.size();
  }

  /** Returns the next element, null if all were tried. */
  public PendingJob.@Nullable Offer offer() {
    return ready.isEmpty() ? null : ready.getFirst();
  }

  /** Returns whether this element may start now. */
  public boolean offers(int element) {
    return ready.stream().anyMatch(offer -> offer.index() == element);
  }

  /** Returns the blocker of the elements that are no longer tried, null if none. */
  public @Nullable Blocker rest() {
    return rest;
  }

  /** Sets a callback for each element that is placed. */
  void whenPlaced(Runnable callback) {
    onPlaced = callback;
  }

  /** Sets a callback for each element that is placed or gets a reservation. */
  void whenTaken(Runnable callback) {
    onTaken = callback;
  }

  /** Records that the element was placed. */
  public void placed(int element) {
    takenOut(element);
    onPlaced.run();
    onTaken.run();
  }

  private void takenOut(int element) {
    boolean first = !ready.isEmpty() && ready.getFirst().index() == element;
    ready =
        first
            ? ready.subList(1, ready.size())
            : ready.stream().filter(offer -> offer.index() != element).toList();
    done |= ready.isEmpty();
  }

  /** Records that the element waits for this blocker and is not tried in this cycle. */
  public void waits(int element, Blocker blocker) {
    takenOut(element);
    rest = blocker;
    awaits = true;
    onTaken.run();
  }

  /** Returns whether an element has a reservation that is not free yet. */
  public boolean awaits() {
    return awaits;
  }

  /** Ends the trials of the job in this cycle. */
  public void finish() {
    done = true;
  }

  public boolean done() {
    return done;
  }
}
