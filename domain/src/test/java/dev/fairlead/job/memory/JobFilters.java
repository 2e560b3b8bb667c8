package dev.fairlead.job.memory;

import dev.fairlead.job.Job;
import dev.fairlead.job.JobFilter;
import dev.fairlead.job.JobState;
import dev.fairlead.job.QueuePlace;
import dev.fairlead.resources.GpuRequest;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link JobFilter} lets through, and the orders of jobs. */
final class JobFilters {
  static final Comparator<Job> NEWEST_FIRST =
      Comparator.comparing(Job::createdAt).thenComparing(Job::id).reversed();

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

  /**
   * Of one element; memory shares and slices are not counted, since their device is not known yet.
   */
  private static long gpuMilli(Job job) {
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
        && anyOr(f.project(), job.project())
        && (f.states().isEmpty() || f.states().contains(job.state()))
        && (f.queues().isEmpty() || f.queues().contains(queue))
        && anyOr(f.user(), job.user())
        && anyOr(f.name(), job.name())
        && job.spec().labels().entrySet().containsAll(f.labels().entrySet())
        && (f.createdAfter() == null || job.createdAt().isAfter(f.createdAfter()))
        && (f.after() == null || behind(f.after(), job));
  }

  private static boolean behind(JobFilter.Mark mark, Job job) {
    int byTime = job.createdAt().compareTo(mark.createdAt());
    return byTime < 0 || byTime == 0 && job.id().compareTo(mark.id()) < 0;
  }

  private static boolean anyOr(@Nullable Object wanted, Object is) {
    return wanted == null || wanted.equals(is);
  }
}
