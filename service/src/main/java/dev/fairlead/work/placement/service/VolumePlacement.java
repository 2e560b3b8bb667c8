package dev.fairlead.work.placement.service;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.job.Job;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Locked volumes of the jobs of one batch. The first job that mounts a volume places it. A job on a
 * different cluster than its volumes is not placed, and neither is a job with a missing claim, or
 * one planned without the nodes that reach its volumes. A missing or unusable volume blocks no job
 * here: its launch reports the failure.
 */
final class VolumePlacement {
  private final SortedMap<VolumeStore.Key, Volume> now = new TreeMap<>();
  private final SortedMap<UUID, Volume> read = new TreeMap<>();
  private final List<Volume> placed = new ArrayList<>();

  private VolumePlacement() {}

  /**
   * @param read volumes of the snapshot of the plan
   */
  static VolumePlacement of(VolumeStore volumes, Collection<Job> jobs, List<Volume> read) {
    VolumePlacement placement = new VolumePlacement();
    SortedSet<VolumeStore.Key> keys = new TreeSet<>();
    jobs.forEach(job ->
        job.spec()
            .volumeNames()
            .forEach(name -> keys.add(new VolumeStore.Key(job.project(), name))));
    if (!keys.isEmpty()) {
      read.forEach(v -> placement.read.put(v.id(), v));
      volumes
          .lock(keys)
          .forEach(v -> placement.now.put(new VolumeStore.Key(v.project(), v.name()), v));
    }
    return placement;
  }

  /**
   * Places claimed volumes of the job on the cluster, and returns whether the job may run on it.
   */
  boolean place(Job job, ClusterId cluster) {
    List<Volume> its = new ArrayList<>();
    for (String name : job.spec().volumeNames()) {
      Volume volume = now.get(new VolumeStore.Key(job.project(), name));
      if (volume != null) {
        its.add(volume);
      }
    }
    boolean elsewhere =
        its.stream()
            .anyMatch(v ->
                v.drawsJobs()
                    && (!cluster.equals(v.cluster()) || v.missingSince() != null || !asRead(v)));
    if (!elsewhere) {
      its.stream()
          .filter(volume -> volume.state() == VolumeState.CLAIMED)
          .map(volume -> volume.placed(cluster))
          .forEach(volume -> {
            now.put(new VolumeStore.Key(volume.project(), volume.name()), volume);
            placed.add(volume);
          });
    }
    return !elsewhere;
  }

  /** Returns whether the plan knew the nodes that reach it. */
  private boolean asRead(Volume volume) {
    Volume then = read.get(volume.id());
    return then == null
        ? volume.nodeLabels().isEmpty()
        : then.nodeLabels().equals(volume.nodeLabels());
  }

  /** Volumes that are placed now, to be written. */
  List<Volume> placed() {
    return placed;
  }
}
