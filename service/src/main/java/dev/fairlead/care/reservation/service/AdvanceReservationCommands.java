package dev.fairlead.care.reservation.service;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationBuilder;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.care.reservation.AdvanceReservationPurpose;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Creates and cancels advance reservations. The creating transaction selects the nodes, which never
 * change.
 */
@Service
public class AdvanceReservationCommands {
  private static final String CREATE = "createAdvanceReservation";
  private static final String CANCEL = "cancelAdvanceReservation";

  /** Retention of ended advance reservations. */
  private static final Duration KEPT = Duration.ofDays(90);

  private final Transactions transactions;
  private final AdvanceReservationStore advanceReservations;
  private final AdvanceReservations queries;
  private final InventoryStore inventory;
  private final TenantStore tenants;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final IdSource ids;

  public AdvanceReservationCommands(
      Transactions transactions,
      AdvanceReservationStore advanceReservations,
      AdvanceReservations queries,
      InventoryStore inventory,
      TenantStore tenants,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.advanceReservations = advanceReservations;
    this.queries = queries;
    this.inventory = inventory;
    this.tenants = tenants;
    this.idempotency = idempotency;
    this.audit = audit;
    this.ids = ids;
  }

  /**
   * @throws Refusal FORBIDDEN, INVALID_FIELD (times, no such project, cluster or node),
   *     ILLEGAL_STATE (nodes out of service, or too few of them), IN_USE (a node is booked at that
   *     time), NAME_IN_USE, LIMIT_EXCEEDED, IDEMPOTENCY_*
   */
  public AdvanceReservationView create(
      Actor actor, AdvanceReservationOrder order, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Optional<String> earlier = idempotency.earlier(actor, CREATE, effective);
          AdvanceReservation advanceReservation =
              earlier.isPresent() ? replayed(earlier.get()) : made(actor, effective, order);
          return queries.view(advanceReservation);
        });
  }

  private AdvanceReservation replayed(String reference) {
    return IdText.decode(IdKind.ADVANCE_RESERVATION, reference)
        .flatMap(id -> advanceReservations.advanceReservation(new AdvanceReservationId(id)))
        .orElseThrow(() -> Idempotency.removed("advance reservation"));
  }

  private AdvanceReservation made(
      Actor actor, @Nullable RequestKey key, AdvanceReservationOrder order) {
    advanceReservations.enter();
    Instant now = advanceReservations.now();
    advanceReservations.forget(now.minus(KEPT));
    List<AdvanceReservation> open = advanceReservations.open();
    refuseTooMany(open, order);
    Instant start = start(order, now);
    Instant end = end(order, start);
    AdvanceReservationOwner owner = owner(actor, order);
    List<BookedNode> nodes =
        new AdvanceReservationNodes(inventory, open, start, end)
            .of(order).stream()
                .map(node -> new BookedNode(node.id(), node.cluster(), node.name()))
                .toList();
    AdvanceReservation advanceReservation =
        AdvanceReservationBuilder.builder()
            .id(new AdvanceReservationId(ids.next()))
            .name(order.name())
            .owner(owner)
            .start(start)
            .end(end)
            .leftoverPolicy(
                Objects.requireNonNullElse(order.leftoverPolicy(), LeftoverPolicy.FINISH))
            .reason(Objects.requireNonNullElse(order.reason(), ""))
            .nodes(nodes)
            .actor(actor.name())
            .createdAt(now)
            .build();
    advanceReservations.insert(advanceReservation);
    idempotency.remember(actor, CREATE, key, advanceReservation.id().text());
    audited(actor, CREATE, advanceReservation);
    return advanceReservation;
  }

  private static void refuseTooMany(List<AdvanceReservation> open, AdvanceReservationOrder order) {
    if (open.size() >= AdvanceReservation.MOST_OPEN) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%d advance reservations have not ended, the maximum. Cancel one, or wait until one ends."
              .formatted(open.size()));
    }
    open.stream()
        .filter(other -> other.name().equals(order.name()))
        .findFirst()
        .ifPresent(other -> {
          throw new Refusal(
              ProblemCode.NAME_IN_USE,
              "Advance reservation %s, from %s to %s, is called \"%s\". Choose another name, or cancel it."
                  .formatted(other.id().text(), other.start(), other.end(), other.name()));
        });
  }

  private static Instant start(AdvanceReservationOrder order, Instant now) {
    Instant start = order.start() == null ? now : order.start();
    if (start.isBefore(now)) {
      throw Refusal.field(
          "/start",
          ("%s is in the past: it is now %s. Set a future time, or omit it for an advance"
                  + " reservation that begins now.")
              .formatted(start, now));
    }
    if (start.isAfter(now.plus(AdvanceReservation.LONGEST))) {
      throw Refusal.field(
          "/start",
          "%s is more than %d days away.".formatted(start, AdvanceReservation.LONGEST.toDays()));
    }
    return start;
  }

  private static Instant end(AdvanceReservationOrder order, Instant start) {
    Duration duration = order.duration();
    Instant end = duration == null ? order.end() : start.plus(duration);
    if (end == null || !end.isAfter(start)) {
      throw Refusal.field(
          "/end", "%s is not after the start %s. Give a later end.".formatted(end, start));
    }
    if (Duration.between(start, end).compareTo(AdvanceReservation.LONGEST) > 0) {
      throw Refusal.field(
          duration == null ? "/end" : "/duration",
          "%s to %s is more than %d days. Give an earlier end."
              .formatted(start, end, AdvanceReservation.LONGEST.toDays()));
    }
    return end;
  }

  private @Nullable AdvanceReservationOwner owner(Actor actor, AdvanceReservationOrder order) {
    String project = order.project();
    if (order.purpose() == AdvanceReservationPurpose.MAINTENANCE || project == null) {
      return null;
    }
    String named = order.tenant();
    TenantId tenant =
        named == null
            ? actor.tenant()
            : tenants
                .tenantNamed(named)
                .map(Tenant::id)
                .orElseThrow(() ->
                    Refusal.field(
                        "/tenant",
                        "There is no tenant \"%s\". GET /api/v1/tenants lists them."
                            .formatted(named)));
    return tenants
        .projectNamed(tenant, project)
        .map(its -> new AdvanceReservationOwner(tenant, its.id(), its.name()))
        .orElseThrow(() ->
            Refusal.field(
                "/project",
                "There is no project \"%s\" in tenant %s. Set its tenant, or correct it."
                    .formatted(
                        project,
                        named == null
                            ? tenants.tenant(tenant).map(Tenant::name).orElseGet(tenant::text)
                            : named)));
  }

  private void audited(Actor actor, String operation, AdvanceReservation advanceReservation) {
    AdvanceReservationOwner owner = advanceReservation.owner();
    audit.appendFor(
        owner == null ? List.of() : List.of(owner.tenant()),
        new AuditRecord(
            actor, operation, advanceReservation.id().text(), true, detail(advanceReservation)));
  }

  private static SortedMap<String, Object> detail(AdvanceReservation advanceReservation) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("name", advanceReservation.name());
    detail.put("purpose", advanceReservation.purpose().name());
    AdvanceReservationOwner owner = advanceReservation.owner();
    if (owner != null) {
      detail.put("project", owner.project().text());
    }
    detail.put("start", advanceReservation.start().toString());
    detail.put("end", advanceReservation.end().toString());
    detail.put("leftoverPolicy", advanceReservation.leftoverPolicy().name());
    detail.put("reason", advanceReservation.reason());
    detail.put("nodes", advanceReservation.nodes().stream().map(BookedNode::name).toList());
    return detail;
  }

  /**
   * Releases the nodes for all jobs. Running jobs continue.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public void cancel(Actor actor, String text, boolean validateOnly) {
    Permissions.require(actor, CANCEL);
    transactions.runOrTry(
        validateOnly,
        () -> {
          advanceReservations.enter();
          AdvanceReservation advanceReservation = queries.found(actor, text);
          boolean _ = advanceReservations.remove(advanceReservation.id());
          audited(actor, CANCEL, advanceReservation);
        });
  }
}
