package dev.fairlead.work.job.service.submit;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Queues that the jobs of one request name, each read once. Not thread-safe. A job without a name
 * has the default queue of its project.
 */
final class NamedQueues {
  private final QuotaStore quotas;
  private final JobStore jobs;
  private final Actor actor;
  private final Project project;
  private final Map<String, QuotaNode> known = new TreeMap<>();
  private final Map<QuotaNodeId, Long> queued = new TreeMap<>();

  NamedQueues(QuotaStore quotas, JobStore jobs, Actor actor, Project project) {
    this.quotas = quotas;
    this.jobs = jobs;
    this.actor = actor;
    this.project = project;
  }

  /**
   * @throws Refusal INVALID_FIELD for a queue that does not exist, accepts no jobs, or is not for
   *     the project
   */
  QuotaNode of(JobSpec spec) {
    QuotaNode node = known.computeIfAbsent(spec.queue(), name -> find(spec));
    QueueSettings settings = node.queue();
    if (settings != null && settings.state() == QueueSettings.State.DRAINING) {
      throw Refusal.field("/queue", "Queue " + node.name() + " is draining and takes no jobs.");
    }
    if (settings != null && !settings.takes(project.name())) {
      throw notForProject(node.name());
    }
    return node;
  }

  /**
   * Counts another waiting job of the actor in the queue.
   *
   * @throws Refusal LIMIT_EXCEEDED beyond the queue's limit per user
   */
  void queued(JobSpec spec) {
    QuotaNode node = of(spec);
    QueueSettings settings = node.queue();
    Integer most = settings == null ? null : settings.userLimits().queued();
    if (most == null) {
      return;
    }
    long there =
        queued.computeIfAbsent(
            node.id(), id -> jobs.queuedCount(actor.tenant(), id, actor.name(), most + 1L));
    if (there >= most) {
      TreeMap<String, Object> numbers = new TreeMap<>();
      numbers.put("queued", there);
      numbers.put("limit", most);
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          ("%s has %s%d of %d waiting jobs in queue %s, the limit userLimits.queued. An"
                  + " administrator can raise it.")
              .formatted(
                  actor.name(),
                  there > most ? "at least " : "", // the count ends there
                  there,
                  most,
                  node.name()),
          List.of(),
          numbers);
    }
    queued.put(node.id(), there + 1);
  }

  private QuotaNode find(JobSpec spec) {
    Optional<QuotaNode> node =
        spec.queue().isEmpty()
            ? quotas.node(actor.tenant(), new QuotaNodeId(project.defaultQueue()))
            : quotas.nodeNamed(actor.tenant(), spec.queue());
    return node.filter(QuotaNode::isQueue).orElseThrow(() -> noQueue(spec));
  }

  private Refusal noQueue(JobSpec spec) {
    return refused("There is no queue \"%s\".".formatted(spec.queue()));
  }

  private Refusal notForProject(String queue) {
    return refused(
        "Queue %s takes no jobs of project %s, which an administrator can change."
            .formatted(queue, project.name()));
  }

  /** Suggests the default queue of the project. */
  private Refusal refused(String detail) {
    List<QuotaNode> queues =
        quotas.nodes(actor.tenant()).stream().filter(this::takesProject).toList();
    QuotaNodeId ofProject = new QuotaNodeId(project.defaultQueue());
    String names = queues.stream().map(QuotaNode::name).limit(10).collect(Collectors.joining(", "));
    return Refusal.field(
        "/queue",
        detail + " Queues: " + (names.isEmpty() ? "none" : names) + ".",
        queues.stream()
            .filter(queue -> queue.id().equals(ofProject))
            .map(QuotaNode::name)
            .findFirst()
            .orElse(null));
  }

  private boolean takesProject(QuotaNode node) {
    QueueSettings settings = node.queue();
    return settings != null && settings.takes(project.name());
  }
}
