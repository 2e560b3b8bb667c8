package dev.fairlead.work.job.service.submit;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.spec.JobSpec;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Volumes that the jobs of one request mount, each read once. Not thread-safe. */
final class NamedVolumes {
  private final VolumeStore volumes;
  private final Project project;
  private final Set<String> asked = new TreeSet<>();
  private final SortedMap<String, Volume> read = new TreeMap<>();

  NamedVolumes(VolumeStore volumes, Project project) {
    this.volumes = volumes;
    this.project = project;
  }

  /**
   * @throws Refusal INVALID_FIELD for a volume that the project does not have or that cannot be
   *     mounted, and for volumes on two clusters
   */
  void known(JobSpec spec) {
    Set<String> further = new TreeSet<>(spec.volumeNames());
    further.removeAll(asked);
    if (!further.isEmpty()) {
      asked.addAll(further);
      volumes
          .named(project.tenant(), project.id(), further)
          .forEach(volume -> read.put(volume.name(), volume));
    }
    Volume first = null;
    for (int i = 0; i < spec.volumes().size(); i++) {
      String name = spec.volumes().get(i).volume();
      if (name != null) {
        Volume volume = usable("/volumes/" + i + "/volume", name);
        if (first != null
            && volume.drawsJobs()
            && !Objects.equals(volume.cluster(), first.cluster())) {
          throw Refusal.field(
              "/volumes/" + i + "/volume",
              "Volumes \"%s\" and \"%s\" are on different clusters: no job can mount both."
                  .formatted(first.name(), name));
        }
        first = volume.drawsJobs() ? volume : first;
      }
    }
  }

  private Volume usable(String pointer, String name) {
    Volume volume = read.get(name);
    if (volume == null) {
      throw Refusal.field(
          pointer,
          "Project %s has no volume \"%s\". Claim it with: fairlead volume create %s -p %s --size 100Gi"
              .formatted(project.name(), name, name, project.name()));
    }
    if (!volume.usable()) {
      throw Refusal.field(
          pointer,
          "Volume \"%s\" of project %s is %s%s. Mount another one."
              .formatted(
                  name,
                  project.name(),
                  volume.state(),
                  volume.message() == null ? "" : ": " + volume.message()));
    }
    return volume;
  }
}
