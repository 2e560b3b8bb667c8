package dev.fairlead.work.world;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.World.LiveAttempt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Maps volumes to their clusters, by name, and to the nodes that can reach them. A job that mounts
 * a volume may run only on its cluster. Its list of clusters is narrowed to the cluster with all
 * its volumes, and its node labels include the labels of all its volumes.
 */
public final class VolumePlaces {
  /**
   * Entry in the cluster list of a job whose volumes have no common cluster: no cluster name
   * contains a slash.
   */
  public static final String NOWHERE = "volumes/apart";

  /** Cluster name for a job if no node matches both its volumes and its labels. */
  public static final String NO_NODE = "nodes/apart";

  /** No cluster has a volume. */
  public static final VolumePlaces NONE = new VolumePlaces();

  private final SortedMap<VolumeStore.Key, Place> places = new TreeMap<>();

  /**
   * Cluster of a volume.
   *
   * @param cluster its name
   * @param nodeLabels labels of the nodes that reach it, empty if all nodes do
   * @param missing whether its claim is missing, so that jobs that mount it cannot start
   */
  public record Place(String cluster, SortedMap<String, String> nodeLabels, boolean missing) {
    /** Describes the labels. */
    public String nodes() {
      return nodeLabels.entrySet().stream()
          .map(label -> label.getKey() + "=" + label.getValue())
          .collect(Collectors.joining(", "));
    }
  }

  private VolumePlaces() {}

  /** The volumes that restrict placement. */
  static VolumePlaces of(List<Volume> volumes, List<Cluster> all) {
    VolumePlaces places = new VolumePlaces();
    SortedMap<ClusterId, String> names = new TreeMap<>();
    if (!volumes.isEmpty()) {
      all.forEach(cluster -> names.put(cluster.id(), cluster.name()));
    }
    for (Volume volume : volumes) {
      String cluster = volume.cluster() == null ? null : names.get(volume.cluster());
      if (volume.drawsJobs() && cluster != null) {
        places.places.put(
            new VolumeStore.Key(volume.project(), volume.name()),
            new Place(cluster, volume.nodeLabels(), volume.missingSince() != null));
      }
    }
    return places;
  }

  /** Locations of the volumes that the job mounts, by volume. Claimed ones are left out. */
  public SortedMap<String, Place> of(Job job) {
    if (places.isEmpty() || job.spec().volumes().isEmpty()) {
      return Collections.emptySortedMap();
    }
    SortedMap<String, Place> found = new TreeMap<>();
    for (String name : job.spec().volumeNames()) {
      Place place = places.get(new VolumeStore.Key(job.project(), name));
      if (place != null) {
        found.put(name, place);
      }
    }
    return found;
  }

  /** The job with restricted placement. Idempotent. */
  Job drawn(Job job) {
    Collection<Place> its = of(job).values();
    if (its.isEmpty()) {
      return job;
    }
    PlacementSpec own = job.spec().placement();
    SortedSet<String> clusters =
        its.stream().map(Place::cluster).collect(Collectors.toCollection(TreeSet::new));
    boolean asked = own.clusters().isEmpty() || own.clusters().containsAll(clusters);
    if (clusters.size() > 1 || !asked && !own.clusters().equals(List.of(NO_NODE))) {
      return job.seenAs(job.spec().on(List.of(NOWHERE), own.nodeLabels()));
    }
    SortedMap<String, String> labels = new TreeMap<>(own.nodeLabels());
    for (Place place : its) {
      if (!agree(labels, place.nodeLabels())) {
        return job.seenAs(job.spec().on(List.of(NO_NODE), own.nodeLabels()));
      }
      labels.putAll(place.nodeLabels());
    }
    return job.seenAs(job.spec().on(List.copyOf(clusters), labels));
  }

  private static boolean agree(SortedMap<String, String> some, SortedMap<String, String> others) {
    return others.entrySet().stream()
        .allMatch(
            label -> label.getValue().equals(some.getOrDefault(label.getKey(), label.getValue())));
  }

  List<PendingJob> drawn(List<PendingJob> pending) {
    List<PendingJob> drawn = null;
    for (int i = 0; i < pending.size() && !places.isEmpty(); i++) {
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
    for (int i = 0; i < live.size() && !places.isEmpty(); i++) {
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
