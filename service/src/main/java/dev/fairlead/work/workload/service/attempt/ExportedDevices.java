package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.care.health.service.spi.ExporterHolders;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.DeviceTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * Stores the devices of members that the DCGM exporter shows. The name of a pod contains the id of
 * its attempt, so labels of an earlier pod never count for a later one.
 */
@Component
public class ExportedDevices implements ExporterHolders {
  private final JobStore jobs;
  private final JobWriter writer;
  private final TenantStore tenants;

  public ExportedDevices(JobStore jobs, JobWriter writer, TenantStore tenants) {
    this.jobs = jobs;
    this.writer = writer;
    this.tenants = tenants;
  }

  /** If the labels change nothing, which is the usual case, it locks no job. */
  @Override
  public void exported(ClusterId cluster, List<PodGpus> pods, String reporter) {
    SortedMap<AttemptId, Map<String, PodGpus>> claims = new TreeMap<>();
    for (PodGpus pod : pods) {
      ObjectNames.attemptOf(pod.pod())
          .ifPresent(id ->
              claims
                  .computeIfAbsent(id, first -> new HashMap<>())
                  .put(pod.namespace() + "/" + pod.pod(), pod));
    }
    Map<AttemptId, String> namespaces = claims.isEmpty() ? Map.of() : namespaces(cluster, claims);
    Map<AttemptId, Map<String, List<HeldDevice>>> changing = new HashMap<>();
    List<JobId> owners = new ArrayList<>();
    for (Attempt seen :
        namespaces.isEmpty() ? List.<Attempt>of() : jobs.attempts(namespaces.keySet())) {
      Map<String, List<HeldDevice>> devices =
          devices(
              seen,
              namespaces.getOrDefault(seen.id(), ""),
              claims.getOrDefault(seen.id(), Map.of()));
      if (seen.live() && changes(seen, devices)) {
        changing.put(seen.id(), devices);
        owners.add(seen.job());
      }
    }
    if (!changing.isEmpty()) {
      write(changing, owners, reporter);
    }
  }

  private Map<AttemptId, String> namespaces(
      ClusterId cluster, SortedMap<AttemptId, Map<String, PodGpus>> claims) {
    Map<ProjectId, Optional<Project>> projects = new HashMap<>();
    Map<AttemptId, String> namespaces = new HashMap<>();
    for (JobStore.AttemptOwner owner : jobs.owners(claims.keySet())) {
      if (owner.cluster().equals(cluster)) {
        projects
            .computeIfAbsent(owner.project(), id -> tenants.project(owner.tenant(), id))
            .ifPresent(project -> namespaces.put(owner.attempt(), project.namespace()));
      }
    }
    return namespaces;
  }

  private static Map<String, List<HeldDevice>> devices(
      Attempt attempt, String namespace, Map<String, PodGpus> claims) {
    Map<String, List<HeldDevice>> devices = new HashMap<>();
    for (Member member : attempt.members()) {
      String uid = member.uid();
      PodGpus pod =
          claims.get(namespace + "/" + ObjectNames.pod(attempt.id(), MemberKey.of(member)));
      if (uid != null && pod != null && pod.node().equals(member.nodeName())) {
        devices.put(uid, held(member, pod.gpus()));
      }
    }
    return devices;
  }

  /** The labels do not show whether a pod shares its GPU, so the request of the member decides. */
  private static List<HeldDevice> held(Member member, List<String> gpus) {
    boolean part = member.gpus().stream().anyMatch(share -> share.milli() < Gpu.WHOLE_MILLI);
    return HeldDevice.ofPlugin(gpus).stream()
        .map(device -> new HeldDevice(device.gpu(), part))
        .toList();
  }

  private static boolean changes(Attempt attempt, Map<String, List<HeldDevice>> devices) {
    return attempt.members().stream()
        .anyMatch(member ->
            !DeviceTransitions.reported(member, DeviceReporter.EXPORTER, member.node(), devices)
                .equals(member));
  }

  private void write(
      Map<AttemptId, Map<String, List<HeldDevice>>> changing, List<JobId> owners, String reporter) {
    Map<JobId, Job> locked = new HashMap<>();
    jobs.lock(owners.stream().distinct().toList()).forEach(job -> locked.put(job.id(), job));
    List<Transition> transitions = new ArrayList<>();
    for (Attempt now : jobs.attempts(changing.keySet())) {
      Job job = locked.get(now.job());
      if (job != null && now.live()) {
        DeviceTransitions.reported(
                job,
                now,
                DeviceReporter.EXPORTER,
                changing.getOrDefault(now.id(), Map.of()),
                reporter)
            .ifPresent(transition -> {
              transitions.add(transition);
              locked.put(now.job(), transition.job());
            });
      }
    }
    writer.write(transitions);
  }
}
