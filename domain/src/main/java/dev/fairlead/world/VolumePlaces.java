package dev.fairlead.world;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.job.Job;
import dev.fairlead.volume.Volume;
import dev.fairlead.volume.VolumeStore;
import dev.fairlead.world.World.LiveAttempt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * On which clusters volumes are, by their names. A job that mounts one may run there alone,
 * whatever looks at it: its list of clusters is narrowed to the one that has all its volumes.
 */
public final class VolumePlaces {
  /**
   * In the list of clusters of a job that may run on none: the slash is in no name of a cluster.
   */
  public static final String NOWHERE = "volumes/apart";

  /** No volume is anywhere. */
  public static final VolumePlaces NONE = new VolumePlaces();

  private final SortedMap<VolumeStore.Key, String> clusters = new TreeMap<>();

  private VolumePlaces() {}

  /** Those of the volumes that draw jobs. */
  static VolumePlaces of(List<Volume> volumes, List<Cluster> all) {
    VolumePlaces places = new VolumePlaces();
    SortedMap<ClusterId, String> names = new TreeMap<>();
    if (!volumes.isEmpty()) {
      all.forEach(cluster -> names.put(cluster.id(), cluster.name()));
    }
    for (Volume volume : volumes) {
      String cluster = volume.cluster() == null ? null : names.get(volume.cluster());
      if (volume.drawsJobs() && cluster != null) {
        places.clusters.put(new VolumeStore.Key(volume.project(), volume.name()), cluster);
      }
    }
    return places;
  }

  /** Clusters of the volumes that the job mounts, by volume; claimed ones are left out. */
  public SortedMap<String, String> of(Job job) {
    if (clusters.isEmpty() || job.spec().volumes().isEmpty()) {
      return Collections.emptySortedMap();
    }
    SortedMap<String, String> found = new TreeMap<>();
    for (String name : job.spec().volumeNames()) {
      String cluster = clusters.get(new VolumeStore.Key(job.project(), name));
      if (cluster != null) {
        found.put(name, cluster);
      }
    }
    return found;
  }

  /** The job as it may be placed now. */
  Job drawn(Job job) {
    SortedMap<String, String> its = of(job);
    if (its.isEmpty()) {
      return job;
    }
    Set<String> places = new TreeSet<>(its.values());
    List<String> wanted = job.spec().placement().clusters();
    boolean possible = places.size() == 1 && (wanted.isEmpty() || wanted.containsAll(places));
    return job.seenAs(job.spec().on(possible ? List.copyOf(places) : List.of(NOWHERE)));
  }

  List<PendingJob> drawn(List<PendingJob> pending) {
    List<PendingJob> drawn = null;
    for (int i = 0; i < pending.size() && !clusters.isEmpty(); i++) {
      PendingJob row = pending.get(i);
      if (!of(row.job()).isEmpty()) {
        drawn = copy(drawn, pending);
        drawn.set(
            i, new PendingJob(drawn(row.job()), row.offers(), row.unmet(), row.deadDependency()));
      }
    }
    return drawn == null ? pending : drawn;
  }

  List<LiveAttempt> drawnLive(List<LiveAttempt> live) {
    List<LiveAttempt> drawn = null;
    for (int i = 0; i < live.size() && !clusters.isEmpty(); i++) {
      LiveAttempt row = live.get(i);
      if (!of(row.job()).isEmpty()) {
        drawn = copy(drawn, live);
        drawn.set(i, new LiveAttempt(row.attempt(), drawn(row.job())));
      }
    }
    return drawn == null ? live : drawn;
  }

  private static <T> List<T> copy(@Nullable List<T> begun, List<T> all) {
    return begun == null ? new ArrayList<>(all) : begun;
  }
}
