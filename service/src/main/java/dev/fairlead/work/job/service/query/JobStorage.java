package dev.fairlead.work.job.service.query;

import dev.fairlead.data.volume.StorageReady;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import java.time.Instant;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reports whether the volumes of a job are ready. */
@Service
public class JobStorage {
  private final VolumeStore volumes;
  private final ClusterNames clusters;

  public JobStorage(VolumeStore volumes, ClusterNames clusters) {
    this.volumes = volumes;
    this.clusters = clusters;
  }

  /**
   * State of the volumes of a job that the caller may read, null when it mounts none or has ended.
   */
  public @Nullable StorageReady of(Actor actor, JobView view) {
    Job job = view.job();
    SortedSet<String> names = job.spec().volumeNames();
    if (names.isEmpty() || job.run().ended()) {
      return null;
    }
    Attempt attempt = view.attempt();
    Instant from = attempt != null && attempt.live() ? attempt.createdAt() : job.run().changedAt();
    return StorageReady.of(
            names, volumes.named(actor.tenant(), job.project(), names), clusters::of, from)
        .orElse(null);
  }
}
