package dev.fairlead.work.placement.ordering;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.PendingJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Pending jobs by id. If a job has two rows, the newer one counts. Rows never change, so an object
 * that was part of the last cycle is found by its position. Such jobs are sorted without
 * comparisons, both by id and in queue order.
 */
final class PendingJobIndex {
  private static final Comparator<PendingJob> BY_ID = Comparator.comparing(row -> row.job().id());

  private final PendingJobCache known;
  private final List<PendingJob> rows;
  private int[] before;

  private PendingJobIndex(PendingJobCache known, int most) {
    this.known = known;
    rows = new ArrayList<>(most);
    before = new int[most];
  }

  static PendingJobIndex of(Collection<PendingJob> pending, PendingJobCache known) {
    PendingJobIndex carried = new PendingJobIndex(known, pending.size());
    List<PendingJob> others = new ArrayList<>();
    int at = 0;
    for (PendingJob row : pending) {
      at = carried.firstNotBelow(row.job(), at);
      if (carried.is(row.job(), at)) {
        carried.add(row, at++);
      } else {
        others.add(row);
      }
    }
    others.sort(BY_ID);
    return others.isEmpty() ? carried : carried.with(others);
  }

  private int firstNotBelow(Job job, int from) {
    List<Job> jobs = known.jobs();
    int at = from;
    while (!is(job, at) && at < jobs.size() && jobs.get(at).id().compareTo(job.id()) < 0) {
      at++;
    }
    return at;
  }

  @SuppressWarnings("ReferenceEquality") // identity instead of a comparison of whole specs
  private boolean is(Job job, int at) {
    return at < known.jobs().size() && known.jobs().get(at) == job;
  }

  private void add(PendingJob row, int position) {
    before[rows.size()] = position;
    rows.add(row);
  }

  /** Returns an index with additional rows, by id. */
  private PendingJobIndex with(List<PendingJob> others) {
    PendingJobIndex all = new PendingJobIndex(known, rows.size() + others.size());
    int at = 0;
    for (PendingJob other : others) {
      int next = firstFrom(at, other.job().id());
      all.copy(this, at, next);
      at = next;
      PendingJob newest = other;
      int position = PendingJobCache.UNKNOWN;
      if (at < rows.size() && sameJob(rows.get(at), other)) {
        newest = newer(rows.get(at), other);
        at++;
      }
      int last = all.rows.size() - 1;
      if (last >= 0 && sameJob(all.rows.get(last), newest)) {
        all.rows.set(last, newer(all.rows.get(last), newest));
        all.before[last] = position;
      } else {
        all.add(newest, position);
      }
    }
    all.copy(this, at, rows.size());
    return all;
  }

  private void copy(PendingJobIndex from, int begin, int end) {
    System.arraycopy(from.before, begin, before, rows.size(), end - begin);
    rows.addAll(from.rows.subList(begin, end));
  }

  /** Returns the position of the first row, from {@code low} on, with an id that is not smaller. */
  private int firstFrom(int low, JobId id) {
    int begin = low;
    int end = rows.size();
    while (begin < end) {
      int middle = (begin + end) >>> 1;
      if (rows.get(middle).job().id().compareTo(id) < 0) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  private static boolean sameJob(PendingJob a, PendingJob b) {
    return a.job().id().equals(b.job().id());
  }

  private static PendingJob newer(PendingJob a, PendingJob b) {
    Comparator<PendingJob> order =
        Comparator.comparingLong((PendingJob p) -> p.job().version())
            .thenComparing(PendingJob::toString);
    return order.compare(a, b) >= 0 ? a : b;
  }

  int size() {
    return rows.size();
  }

  PendingJob row(int i) {
    return rows.get(i);
  }

  /**
   * Returns the position of the row's job in the last cycle, {@link PendingJobCache#UNKNOWN} for
   * none.
   */
  int before(int i) {
    return before[i];
  }

  /** Returns the position of the job, negative for none. */
  int position(JobId id) {
    int i = firstFrom(0, id);
    return i < rows.size() && row(i).job().id().equals(id) ? i : PendingJobCache.UNKNOWN;
  }

  List<Job> jobs() {
    return rows.stream().map(PendingJob::job).toList();
  }

  /** Returns positions in the order of {@link PendingJobEntry#ORDER}. */
  int[] order() {
    int[] now = new int[known.jobs().size()];
    Arrays.fill(now, PendingJobCache.UNKNOWN);
    List<Integer> fresh = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      if (before[i] == PendingJobCache.UNKNOWN) {
        fresh.add(i);
      } else {
        now[before[i]] = i;
      }
    }
    int[] carried = Arrays.stream(known.order()).map(p -> now[p]).filter(p -> p >= 0).toArray();
    fresh.sort((a, b) -> PendingJobEntry.compare(row(a).job(), row(b).job()));
    return merged(carried, fresh);
  }

  private int[] merged(int[] carried, List<Integer> fresh) {
    int[] all = new int[carried.length + fresh.size()];
    int at = 0;
    int size = 0;
    for (int each : fresh) {
      int next = behind(carried, at, row(each).job());
      System.arraycopy(carried, at, all, size, next - at);
      size += next - at;
      at = next;
      all[size++] = each;
    }
    System.arraycopy(carried, at, all, size, carried.length - at);
    return all;
  }

  /** Returns the first position, from {@code low} on, that sorts after the job. */
  private int behind(int[] sorted, int low, Job job) {
    int begin = low;
    int end = sorted.length;
    while (begin < end) {
      int middle = (begin + end) >>> 1;
      if (PendingJobEntry.compare(row(sorted[middle]).job(), job) < 0) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
}
