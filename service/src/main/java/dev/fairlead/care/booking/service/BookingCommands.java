package dev.fairlead.care.booking.service;

import dev.fairlead.care.booking.BookedNode;
import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.care.booking.BookingPurpose;
import dev.fairlead.care.booking.BookingStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Overrun;
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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Creates and cancels bookings. The creating transaction selects the nodes, which never change. */
@Service
public class BookingCommands {
  private static final String CREATE = "createBooking";
  private static final String CANCEL = "cancelBooking";

  /** Retention of ended bookings. */
  private static final Duration KEPT = Duration.ofDays(90);

  private final Transactions transactions;
  private final BookingStore bookings;
  private final Bookings queries;
  private final InventoryStore inventory;
  private final TenantStore tenants;
  private final Idempotency oneEffect;
  private final AuditLog audit;
  private final IdSource ids;

  public BookingCommands(
      Transactions transactions,
      BookingStore bookings,
      Bookings queries,
      InventoryStore inventory,
      TenantStore tenants,
      Idempotency oneEffect,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.bookings = bookings;
    this.queries = queries;
    this.inventory = inventory;
    this.tenants = tenants;
    this.oneEffect = oneEffect;
    this.audit = audit;
    this.ids = ids;
  }

  /**
   * @throws Refusal FORBIDDEN, INVALID_FIELD (times, no such project, cluster or node),
   *     ILLEGAL_STATE (nodes out of service, or too few of them), IN_USE (a node is booked at that
   *     time), NAME_IN_USE, LIMIT_EXCEEDED, IDEMPOTENCY_*
   */
  public BookingView create(
      Actor actor, BookingOrder order, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    AtomicReference<BookingView> made = new AtomicReference<>();
    transactions.runOrTry(
        validateOnly,
        () -> {
          Optional<String> earlier = oneEffect.earlier(actor, CREATE, effective);
          Booking booking =
              earlier.isPresent() ? replayed(earlier.get()) : made(actor, effective, order);
          made.set(queries.view(booking));
        });
    return Objects.requireNonNull(made.get(), "the work was done");
  }

  private Booking replayed(String reference) {
    return IdText.decode(IdKind.BOOKING, reference)
        .flatMap(id -> bookings.booking(new BookingId(id)))
        .orElseThrow(() -> Idempotency.removed("booking"));
  }

  private Booking made(Actor actor, @Nullable RequestKey key, BookingOrder order) {
    bookings.enter();
    Instant now = bookings.now();
    bookings.forget(now.minus(KEPT));
    List<Booking> open = bookings.open();
    refuseTooMany(open, order);
    Instant start = start(order, now);
    Instant end = end(order, start);
    BookingOwner owner = owner(actor, order);
    List<BookedNode> nodes =
        new BookingNodes(inventory, open, start, end)
            .of(order).stream()
                .map(node -> new BookedNode(node.id(), node.cluster(), node.name()))
                .toList();
    Booking booking =
        new Booking(
            new BookingId(ids.next()),
            order.name(),
            owner,
            start,
            end,
            Objects.requireNonNullElse(order.overrun(), Overrun.FINISH),
            Objects.requireNonNullElse(order.reason(), ""),
            nodes,
            actor.name(),
            now);
    bookings.insert(booking);
    oneEffect.remember(actor, CREATE, key, booking.id().text());
    audited(actor, CREATE, booking);
    return booking;
  }

  private static void refuseTooMany(List<Booking> open, BookingOrder order) {
    if (open.size() >= Booking.MOST_OPEN) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%d bookings have not ended, the most. Cancel one, or wait for its end."
              .formatted(open.size()));
    }
    open.stream()
        .filter(other -> other.name().equals(order.name()))
        .findFirst()
        .ifPresent(other -> {
          throw new Refusal(
              ProblemCode.NAME_IN_USE,
              "Booking %s, from %s to %s, is called \"%s\". Choose another name, or cancel it."
                  .formatted(other.id().text(), other.start(), other.end(), other.name()));
        });
  }

  private static Instant start(BookingOrder order, Instant now) {
    Instant start = order.start() == null ? now : order.start();
    if (start.isBefore(now)) {
      throw BookingNodes.wrong(
          "/start",
          "%s is in the past: it is %s. Give a time to come, or none for a booking that begins now."
              .formatted(start, now));
    }
    if (start.isAfter(now.plus(Booking.LONGEST))) {
      throw BookingNodes.wrong(
          "/start", "%s is more than %d days away.".formatted(start, Booking.LONGEST.toDays()));
    }
    return start;
  }

  private static Instant end(BookingOrder order, Instant start) {
    Duration duration = order.duration();
    Instant end = duration == null ? order.end() : start.plus(duration);
    if (end == null || !end.isAfter(start)) {
      throw BookingNodes.wrong(
          "/end", "%s is not after the start %s. Give a later end.".formatted(end, start));
    }
    if (Duration.between(start, end).compareTo(Booking.LONGEST) > 0) {
      throw BookingNodes.wrong(
          duration == null ? "/end" : "/duration",
          "From %s to %s are more than %d days. Give an earlier end."
              .formatted(start, end, Booking.LONGEST.toDays()));
    }
    return end;
  }

  private @Nullable BookingOwner owner(Actor actor, BookingOrder order) {
    String project = order.project();
    if (order.purpose() == BookingPurpose.MAINTENANCE || project == null) {
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
                    BookingNodes.wrong(
                        "/tenant",
                        "There is no tenant \"%s\". GET /api/v1/tenants lists them."
                            .formatted(named)));
    return tenants
        .projectNamed(tenant, project)
        .map(its -> new BookingOwner(tenant, its.id(), its.name()))
        .orElseThrow(() ->
            BookingNodes.wrong(
                "/project",
                "There is no project \"%s\" in tenant %s. Name its tenant, or correct it."
                    .formatted(
                        project,
                        named == null
                            ? tenants.tenant(tenant).map(Tenant::name).orElseGet(tenant::text)
                            : named)));
  }

  private void audited(Actor actor, String operation, Booking booking) {
    BookingOwner owner = booking.owner();
    audit.appendFor(
        owner == null ? List.of() : List.of(owner.tenant()),
        new AuditRecord(actor, operation, booking.id().text(), true, detail(booking)));
  }

  private static SortedMap<String, Object> detail(Booking booking) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("name", booking.name());
    detail.put("purpose", booking.purpose().name());
    BookingOwner owner = booking.owner();
    if (owner != null) {
      detail.put("project", owner.project().text());
    }
    detail.put("start", booking.start().toString());
    detail.put("end", booking.end().toString());
    detail.put("overrun", booking.overrun().name());
    detail.put("reason", booking.reason());
    detail.put("nodes", booking.nodes().stream().map(BookedNode::name).toList());
    return detail;
  }

  /**
   * Frees the nodes for all. Jobs that run there continue.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public void cancel(Actor actor, String text, boolean validateOnly) {
    Permissions.require(actor, CANCEL);
    transactions.runOrTry(
        validateOnly,
        () -> {
          bookings.enter();
          Booking booking = queries.found(actor, text);
          boolean _ = bookings.remove(booking.id());
          audited(actor, CANCEL, booking);
        });
  }
}
