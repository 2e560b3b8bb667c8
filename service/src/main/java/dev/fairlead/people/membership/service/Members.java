package dev.fairlead.people.membership.service;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.MakerRights;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.TokenStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Manages the members of a project or of the actor's tenant. No member grants or removes a role
 * that allows more than their own.
 */
@Service
public class Members {
  /** Maximum number of members of one tenant or of one project. */
  public static final int MOST = 2_000;

  private final Transactions transactions;
  private final MembershipStore memberships;
  private final TenantStore tenants;
  private final TokenStore tokens;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;
  private final MakerRights makers;

  public Members(
      Transactions transactions,
      MembershipStore memberships,
      TenantStore tenants,
      TokenStore tokens,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.memberships = memberships;
    this.tenants = tenants;
    this.tokens = tokens;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
    this.makers = new MakerRights(memberships, tokens, clock);
  }

  /**
   * The tenant or project of the members.
   *
   * @param project name of the project, null for the tenant itself
   * @param operation for the matrix of permissions and the audit log
   */
  public record Place(@Nullable String project, String operation) {}

  /**
   * Members by principal.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<TenantMember> all(Actor actor, Place place) {
    Permissions.require(actor, place.operation());
    return transactions.read(
        () -> memberships.members(actor.tenant(), tenants.projectId(actor, place.project())));
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public TenantMember one(Actor actor, Place place, String principal) {
    Permissions.require(actor, place.operation());
    return transactions.read(() -> found(actor, place, principal));
  }

  /**
   * Adds the principal as a member with that role, or changes its role. Tokens that the member
   * created, for itself or others, are revoked if they permit more than its new role.
   *
   * @param expected version that the caller has read, null for any or none
   * @throws Refusal FORBIDDEN for a role that allows more than the actor may do, NOT_FOUND
   *     (project), VERSION_MISMATCH, LIMIT_EXCEEDED beyond {@link #MOST}, UNAUTHENTICATED when the
   *     actor's own token has ended
   */
  public TenantMember put(
      Actor actor,
      Place place,
      String principal,
      Role role,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, place.operation());
    covered(actor, role);
    try {
      return transactions.call(() -> {
        ProjectId project = tenants.projectId(actor, place.project());
        Actor now = standing(actor, place, project, role);
        TenantMember old = memberships.member(actor.tenant(), project, principal).orElse(null);
        seen(principal, old, expected);
        TenantMember next = old == null ? added(now, project, principal, role) : old.with(role);
        if (old != null && old.membership().role() == role) {
          return old;
        }
        if (!validateOnly) {
          store(now, old, next);
          audit(actor, place, old, next);
        }
        return next;
      });
    } catch (Conflict raced) {
      throw changed(principal);
    }
  }

  private TenantMember added(
      Actor actor, @Nullable ProjectId project, String principal, Role role) {
    boolean platform = actor.roles().stream().anyMatch(r -> r.scope() == Role.Scope.PLATFORM);
    if (principal.equals(actor.name()) && !platform) {
      /* The principal may be a removed member, and issuer groups are not memberships. */
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          "Callers cannot make themselves members. Ask another owner of the tenant or an"
              + " administrator.");
    }
    if (memberships.members(actor.tenant(), project).size() >= MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The maximum of " + MOST + " members is reached. Remove members that left.");
    }
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Membership membership = new Membership(actor.tenant(), project, role);
    return new TenantMember(ids.next(), principal, membership, now, actor.name(), 0);
  }

  private void store(Actor actor, @Nullable TenantMember old, TenantMember next) {
    if (old == null) {
      memberships.insert(next);
    } else {
      covered(actor, old.membership().role());
      memberships.update(next);
      revokeTokens(actor, next.principal());
    }
  }

  /**
   * Removes the role of the principal. Within seconds its requests are refused and its streams end.
   * Revokes tokens that need that role, so that a later membership does not restore them, and
   * tokens for others that it could no longer create.
   *
   * @param expected version that the caller has read, null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, UNAUTHENTICATED when the actor's own
   *     token has ended
   */
  public void remove(
      Actor actor, Place place, String principal, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, place.operation());
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            TenantMember old = found(actor, place, principal);
            seen(principal, old, expected);
            standing(actor, place, old.membership().project(), old.membership().role());
            memberships.delete(old);
            revokeTokens(actor, principal);
            audit(actor, place, old, null);
          });
    } catch (Conflict raced) {
      throw changed(principal);
    }
  }

  /**
   * Revokes its now useless tokens, and tokens that it created for others and could no longer
   * create.
   */
  private void revokeTokens(Actor actor, String principal) {
    Instant now = clock.instant();
    List<Membership> left = memberships.held(principal);
    Stream<ApiToken> own =
        tokens.valid(actor.tenant(), principal, now).stream()
            .filter(token -> !token.bearer().within(left).hasRoles());
    Stream<ApiToken> made =
        tokens.madeBy(actor.tenant(), principal, now).stream()
            .filter(token -> !token.principal().equals(principal))
            .filter(token -> !mayMake(left, token) && !madeByPlatform(token));
    Stream.concat(own, made).toList().forEach(token -> tokens.revoke(token, now));
  }

  private static boolean mayMake(List<Membership> held, ApiToken token) {
    List<Role> roles =
        held.stream()
            .filter(m -> m.tenant().equals(token.tenant()))
            .filter(m -> m.project() == null || m.project().equals(token.project()))
            .map(Membership::role)
            .toList();
    return PermissionMatrix.CURRENT.covers(new TreeSet<>(roles), token.role());
  }

  /**
   * Returns whether a role of the platform made the token. No other role can create tokens in
   * another tenant.
   */
  private boolean madeByPlatform(ApiToken token) {
    TokenId maker = token.madeBy();
    return maker != null
        && tokens
            .find(token.tenant(), maker)
            .filter(found -> found.role().scope() != Role.Scope.PLATFORM)
            .isEmpty();
  }

  private TenantMember found(Actor actor, Place place, String principal) {
    return memberships
        .member(actor.tenant(), tenants.projectId(actor, place.project()), principal)
        .orElseThrow(() ->
            new Refusal(ProblemCode.NOT_FOUND, "There is no member \"" + principal + "\" here."));
  }

  /**
   * The actor with its current roles, which are locked until the transaction ends.
   *
   * @throws Refusal FORBIDDEN when they do not suffice, UNAUTHENTICATED when its token has ended
   */
  private Actor standing(Actor actor, Place place, @Nullable ProjectId project, Role role) {
    Actor now = makers.now(actor, project);
    Permissions.require(now, place.operation());
    covered(now, role);
    return now;
  }

  private static void covered(Actor actor, Role role) {
    if (!PermissionMatrix.CURRENT.covers(actor.roles(), role)) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          ("The role %s grants more permissions than %s has. Ask an owner of the tenant or an"
                  + " administrator.")
              .formatted(role.wire(), actor.name()));
    }
  }

  private static void seen(
      String principal, @Nullable TenantMember member, @Nullable Long expected) {
    if (expected != null && (member == null || member.version() != expected)) {
      throw changed(principal);
    }
  }

  private static Refusal changed(String principal) {
    return Refusal.changed("Member \"" + principal + "\"");
  }

  private void audit(
      Actor actor, Place place, @Nullable TenantMember before, @Nullable TenantMember after) {
    TenantMember member = Objects.requireNonNull(after == null ? before : after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("principal", member.principal());
    detail.put("role", member.membership().role().wire());
    String where = place.project() == null ? actor.tenant().text() : place.project();
    audit.append(
        new AuditRecord(actor, place.operation(), where, true, detail)
            .changed("member/" + member.id(), before, after));
  }
}
