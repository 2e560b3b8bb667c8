package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.care.health.service.spi.DeviceHolders;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.DeviceTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.workload.judgement.OpenFaults;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.stereotype.Component;

/** Stores the devices of members that node agents report. */
@Component
public class ReportedDevices implements DeviceHolders {
  private final JobStore jobs;
  private final JobWriter writer;

  public ReportedDevices(JobStore jobs, JobWriter writer) {
    this.jobs = jobs;
    this.writer = writer;
  }

  /**
   * If the report changes nothing, which is the usual case, it reads only the members of the node
   * and locks no job.
   */
  @Override
  public void reported(NodeId node, List<PodDevices> pods, String reporter) {
    Map<String, List<HeldDevice>> devices = new HashMap<>();
    pods.forEach(pod -> devices.put(pod.uid(), HeldDevice.ofPlugin(pod.ids())));
    List<JobStore.GpuMember> changing =
        jobs.membersOnGpusOf(node).stream()
            .filter(m -> !reported(m.member(), node, devices).equals(m.member()))
            .toList();
    if (changing.isEmpty()) {
      return;
    }
    Map<JobId, Job> locked = new HashMap<>();
    jobs.lock(changing.stream().map(JobStore.GpuMember::job).distinct().toList())
        .forEach(job -> locked.put(job.id(), job));
    List<Transition> transitions = new ArrayList<>();
    for (Attempt now :
        jobs.attempts(changing.stream().map(JobStore.GpuMember::attempt).distinct().toList())) {
      Job job = locked.get(now.job());
      if (job != null && now.live()) {
        DeviceTransitions.reported(job, now, DeviceReporter.NODE_AGENT, node, devices, reporter)
            .ifPresent(transition -> {
              transitions.add(transition);
              locked.put(now.job(), transition.job());
            });
      }
    }
    writer.write(transitions);
  }

  @Override
  public List<Candidate> candidates(Incident incident) {
    List<JobStore.GpuMember> possible =
        jobs.membersOnGpusOf(incident.node()).stream()
            .filter(held -> OpenFaults.candidate(incident, held.member()))
            .toList();
    Map<JobId, Job> named = new HashMap<>();
    jobs.findAll(possible.stream().map(JobStore.GpuMember::job).distinct().toList())
        .forEach(job -> named.put(job.id(), job));
    return possible.stream()
        .filter(held -> named.containsKey(held.job()))
        .map(held ->
            new Candidate(
                held.job(),
                Objects.requireNonNull(named.get(held.job())).name(),
                held.member().key()))
        .toList();
  }

  private static Member reported(
      Member member, NodeId node, Map<String, List<HeldDevice>> devices) {
    return DeviceTransitions.reported(member, DeviceReporter.NODE_AGENT, node, devices);
  }
}
