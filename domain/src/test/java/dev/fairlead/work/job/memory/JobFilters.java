package dev.fairlead.work.job.memory;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.QueuePlace;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Evaluates a {@link JobFilter}, and orders jobs. */
final class JobFilters {
  private static final Comparator<Job> QUEUE_ORDER =
      Comparator.comparingInt(Job::priority)
          .reversed()
          .thenComparing(Job::createdAt)
          .thenComparing(Job::id);

  private JobFilters() {}

  static boolean waits(Job job) {
    return job.state() == JobState.QUEUED;
  }

  static QueuePlace place(Job job, List<Job> active) {
    List<Job> queue =
        active.stream()
            .filter(j -> waits(j) && j.queue().equals(job.queue()))
            .sorted(QUEUE_ORDER)
            .toList();
    int ahead = queue.indexOf(job);
    long gpuMilli = queue.subList(0, ahead).stream().mapToLong(JobFilters::gpuMilli).sum();
    return new QueuePlace(ahead + 1, queue.size(), gpuMilli);
  }

  /** GPUs of one element, without memory shares and slices, whose device is not known yet. */
  static long gpuMilli(Job job) {
    return job.spec().roles().stream().mapToLong(r -> r.count() * gpuMilli(r.gpu())).sum();
  }

  private static long gpuMilli(GpuRequest gpu) {
    return switch (gpu.kind()) {
      case WHOLE, FRACTION -> gpu.milliOn(0);
      case NONE, MEMORY, MIG -> 0;
    };
  }

  static boolean matches(JobFilter f, Job job, String queue) {
    return job.tenant().equals(f.tenant())
        && (f.projects() == null || f.projects().contains(job.project()))
        && (f.states().isEmpty() || f.states().contains(job.state()))
        && (f.queues().isEmpty() || f.queues().contains(queue))
        && anyOr(f.user(), job.user())
        && (f.name() == null || matches(f.name(), job.name()))
        && job.spec().labels().entrySet().containsAll(f.labels().entrySet())
        && (f.createdAfter() == null || job.createdAt().isAfter(f.createdAfter()))
        && (f.createdBefore() == null || job.createdAt().isBefore(f.createdBefore()))
        && (f.after() == null || behind(f, f.after(), job));
  }

  static Comparator<Job> order(JobFilter.Order order) {
    return Comparator.comparing(JobFilter.Cursor::of, marks(order));
  }

  private static Comparator<JobFilter.Cursor> marks(JobFilter.Order order) {
    Comparator<JobFilter.Cursor> oldest =
        Comparator.comparing(JobFilter.Cursor::createdAt).thenComparing(JobFilter.Cursor::id);
    return switch (order) {
      case NEWEST -> oldest.reversed();
      case OLDEST -> oldest;
      case PRIORITY ->
          Comparator.comparingInt(JobFilter.Cursor::priority).reversed().thenComparing(oldest);
      case NAME -> Comparator.comparing(JobFilter.Cursor::name).thenComparing(oldest);
    };
  }

  private static boolean behind(JobFilter filter, JobFilter.Cursor mark, Job job) {
    return marks(filter.order()).compare(JobFilter.Cursor.of(job), mark) > 0;
  }

  private static boolean anyOr(@Nullable Object wanted, Object is) {
    return wanted == null || wanted.equals(is);
  }

  /** The first jobs whose specs together fit a page. */
  static List<Job> withinBytes(List<Job> found) {
    long bytes = 0;
    for (int i = 0; i < found.size(); i++) {
      bytes += found.get(i).spec().toString().length();
      if (bytes > JobSlice.MOST_SPEC_BYTES && i > 0) {
        return found.subList(0, i);
      }
    }
    return found;
  }

  private static boolean matches(JobFilter.Name wanted, String name) {
    return wanted.part() ? name.contains(wanted.text()) : name.equals(wanted.text());
  }
}
