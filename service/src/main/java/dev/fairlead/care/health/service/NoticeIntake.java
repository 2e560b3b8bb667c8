package dev.fairlead.care.health.service;

import dev.fairlead.care.health.Reporter;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.AnnouncedNoticeBuilder;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Accepts notices of the end of machines from systems outside their cluster. Supervisors read them
 * together with the notices that the nodes show.
 */
@Service
public class NoticeIntake {
  /** Latest deadline, from now. */
  static final Duration LONGEST = Duration.ofDays(366);

  /** Maximum number of notices of a machine that have not ended. */
  static final int MOST = 16;

  private static final String OPERATION = "reportNotice";

  private final Transactions transactions;
  private final InventoryStore inventory;
  private final HealthStore health;
  private final AuditLog audit;
  private final InstantSource clock;

  public NoticeIntake(
      Transactions transactions,
      InventoryStore inventory,
      HealthStore health,
      AuditLog audit,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.health = health;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * A notice as its sender announces it.
   *
   * @param id the same in each repeat and in the withdrawal
   * @param node name of the machine
   * @param deadline null for the time of its kind, from the first report on
   * @param reason as text
   */
  public record Report(
      String id,
      String node,
      NodeNotice.Kind kind,
      @Nullable Instant deadline,
      @Nullable String reason) {
    private String text() {
      return reason == null ? "announced" : reason;
    }
  }

  /** Outcome of a report. */
  public enum Outcome {
    /** The notice is new, or it replaces the notice of its id. */
    STORED,
    /** The same notice is already stored, and nothing changed. */
    DUPLICATE,
    /** The notice is withdrawn, by this report or before. */
    WITHDRAWN
  }

  /**
   * Result of a report, with the stored notice.
   *
   * @param outcome whether the report changed the notice
   * @param node name of the machine
   * @param kind event that is announced
   * @param deadline time of the event
   */
  @Schema(name = "ReportNoticeResponse")
  public record Result(
      String id,
      Outcome outcome,
      String node,
      NodeNotice.Kind kind,
      String reason,
      Instant deadline) {
    private static Result of(Outcome outcome, AnnouncedNotice notice) {
      return new Result(
          notice.id(), outcome, notice.node(), notice.kind(), notice.reason(), notice.deadline());
    }
  }

  /**
   * Stores a notice. A notice that was withdrawn remains withdrawn.
   *
   * @param text id or name of the cluster
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_FIELD for a machine that the cluster does not
   *     have and for a deadline in the past or too far away, LIMIT_EXCEEDED
   */
  public Result announce(Actor actor, String text, Report report, boolean validateOnly) {
    return transactions.forAllTenants(() -> {
      Cluster cluster = entered(actor, text);
      AnnouncedNotice before = health.announced(cluster.id(), report.id()).orElse(null);
      if (before != null && before.withdrawn()) {
        return Result.of(Outcome.WITHDRAWN, before);
      }
      if (before != null && repeats(report, before)) {
        return Result.of(Outcome.DUPLICATE, before);
      }
      AnnouncedNotice after = accepted(cluster, report, clock.instant());
      write(actor, before, after, validateOnly);
      return Result.of(Outcome.STORED, after);
    });
  }

  /** A repeat may arrive after the machine has left, so it is compared before any check. */
  private static boolean repeats(Report report, AnnouncedNotice before) {
    Instant deadline = report.deadline();
    AnnouncedNotice again =
        AnnouncedNoticeBuilder.builder()
            .cluster(before.cluster())
            .id(report.id())
            .node(report.node())
            .kind(report.kind())
            .reason(report.text())
            .deadline(deadline == null ? before.deadline() : deadline)
            .boot(before.boot())
            .withdrawn(false)
            .build();
    return again.equals(before);
  }

  private AnnouncedNotice accepted(Cluster cluster, Report report, Instant now) {
    Node node =
        inventory.named(cluster.id(), Set.of(report.node())).stream()
            .findFirst()
            .orElseThrow(() ->
                Refusal.field(
                    "/node",
                    "cluster %s has no node %s. Give the name of a node from fairlead node list."
                        .formatted(cluster.name(), report.node())));
    Instant stated = report.deadline();
    Instant deadline = stated == null ? now.plus(report.kind().within()) : stated;
    if (!deadline.isAfter(now)) {
      throw Refusal.field(
          "/deadline",
          "%s is in the past: it is now %s. A machine that has ended needs no notice."
              .formatted(deadline, now));
    }
    if (deadline.isAfter(now.plus(LONGEST))) {
      throw Refusal.field(
          "/deadline", "%s is more than %d days away.".formatted(deadline, LONGEST.toDays()));
    }
    long open =
        health.announced(cluster.id(), node.name(), now.minus(AnnouncedNotice.LASTS)).stream()
            .filter(n -> !n.id().equals(report.id()))
            .count();
    if (open >= MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Node %s has %d notices, the maximum. Withdraw one, or reuse the id of another notice."
              .formatted(node.name(), open));
    }
    return AnnouncedNoticeBuilder.builder()
        .cluster(cluster.id())
        .id(report.id())
        .node(node.name())
        .kind(report.kind())
        .reason(report.text())
        .deadline(deadline)
        .boot(node.bootId())
        .withdrawn(false)
        .build();
  }

  /**
   * Withdraws a notice.
   *
   * @param text id or name of the cluster
   * @param id id of the notice
   * @throws Refusal FORBIDDEN, NOT_FOUND for the cluster, INVALID_FIELD for the id
   */
  public Result withdraw(Actor actor, String text, String id, boolean validateOnly) {
    return transactions.forAllTenants(() -> {
      Cluster cluster = entered(actor, text);
      AnnouncedNotice before =
          health
              .announced(cluster.id(), id)
              .orElseThrow(() ->
                  Refusal.field(
                      "/id",
                      ("cluster %s has no notice %s. It was never reported, or it ended more than"
                              + " a week ago.")
                          .formatted(cluster.name(), id)));
      if (!before.withdrawn()) {
        write(actor, before, before.withdraw(), validateOnly);
      }
      return Result.of(Outcome.WITHDRAWN, before.withdraw());
    });
  }

  /** Reports of a cluster are taken one by one. */
  private Cluster entered(Actor actor, String text) {
    Cluster cluster = FleetNames.cluster(inventory, text);
    Reporter.require(actor, cluster, OPERATION);
    health.enter(cluster.id());
    return cluster;
  }

  private void write(
      Actor actor, @Nullable AnnouncedNotice before, AnnouncedNotice after, boolean validateOnly) {
    if (validateOnly) {
      return;
    }
    health.write(after);
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("node", after.node());
    detail.put("kind", after.kind().name());
    detail.put("deadline", after.deadline().toString());
    detail.put("withdrawn", after.withdrawn());
    audit.append(
        new AuditRecord(actor, OPERATION, after.id(), true, detail)
            .changed("notices/" + after.cluster().text() + "/" + after.id(), before, after));
  }
}
