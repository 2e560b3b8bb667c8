package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.care.health.service.spi.DeviceHolders;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.DeviceReporter;
import dev.fairlead.work.attempt.HeldDevice;
import dev.fairlead.work.job.DeviceTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStore;
import dev.fairlead.work.job.JobWriter;
import dev.fairlead.work.job.SharedDevices;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.workload.Isolated;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** Locks no job if the report changes nothing, which is the usual case. */
  @Override
  public void reported(NodeId node, List<PodDevices> pods, String reporter) {
    Map<String, List<HeldDevice>> devices = new HashMap<>();
    pods.forEach(pod -> devices.put(pod.uid(), HeldDevice.ofPlugin(pod.ids())));
    List<Attempt> there = jobs.onGpusOf(List.of(node));
    Map<JobId, Job> seen = byId(jobs.findAll(jobIds(there)));
    List<Attempt> changing =
        there.stream().filter(a -> change(seen, a, node, devices, reporter).isPresent()).toList();
    if (changing.isEmpty()) {
      return;
    }
    Map<JobId, Job> locked = byId(jobs.lock(jobIds(changing)));
    List<Transition> transitions = new ArrayList<>();
    Map<AttemptId, Attempt> before = new HashMap<>();
    for (Attempt now : jobs.attempts(changing.stream().map(Attempt::id).toList())) {
      if (now.live()) {
        before.put(now.id(), now);
        change(locked, now, node, devices, reporter)
            .ifPresent(transition -> {
              transitions.add(transition);
              locked.put(now.job(), transition.job());
            });
      }
    }
    writer.write(SharedDevices.marked(transitions, before, nodes -> there));
  }

  @Override
  public List<Candidate> candidates(Incident incident) {
    List<Attempt> there = jobs.onGpusOf(List.of(incident.node()));
    Map<JobId, Job> named = byId(jobs.findAll(jobIds(there)));
    List<Candidate> candidates = new ArrayList<>();
    for (Attempt attempt : there) {
      Job job = named.get(attempt.job());
      if (job != null) {
        Isolated.candidates(incident, attempt)
            .forEach(m -> candidates.add(new Candidate(job.id(), job.name(), m.key())));
      }
    }
    return candidates;
  }

  private static Optional<Transition> change(
      Map<JobId, Job> jobs,
      Attempt attempt,
      NodeId node,
      Map<String, List<HeldDevice>> devices,
      String reporter) {
    Job job = jobs.get(attempt.job());
    return job == null
        ? Optional.empty()
        : DeviceTransitions.reported(
            job, attempt, DeviceReporter.NODE_AGENT, node, devices, reporter);
  }

  private static List<JobId> jobIds(List<Attempt> attempts) {
    return attempts.stream().map(Attempt::job).distinct().toList();
  }

  private static Map<JobId, Job> byId(List<Job> found) {
    Map<JobId, Job> byId = new HashMap<>();
    found.forEach(job -> byId.put(job.id(), job));
    return byId;
  }
}
