package dev.fairlead.people.token.service;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.ApiTokenBuilder;
import dev.fairlead.people.token.MakerRights;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.TokenStore;
import dev.fairlead.people.token.TokenText;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Creates, lists and revokes API tokens. No token allows more than its maker may do. */
@Service
public class Tokens {
  /** Maximum number of valid tokens of one principal. */
  public static final int MOST = 200;

  /**
   * Maximum number of tokens that a principal creates within {@link #WINDOW}, for itself and
   * others.
   */
  public static final int MOST_MADE = 500;

  private static final Duration WINDOW = Duration.ofHours(24);
  private final Transactions transactions;
  private final TokenStore tokens;
  private final TokenPlaces places;
  private final MembershipStore memberships;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;
  private final MakerRights makers;
  private final SecureRandom random = new SecureRandom();

  public Tokens(
      Transactions transactions,
      TokenStore tokens,
      TokenPlaces places,
      MembershipStore memberships,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.tokens = tokens;
    this.places = places;
    this.memberships = memberships;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
    this.makers = new MakerRights(memberships, tokens, clock);
  }

  /**
   * A new token with its text, which is not stored.
   *
   * @param text null for a dry run
   */
  public record Made(TokenView view, @Nullable Secret text) {}

  /**
   * Creates a token. A token that is created with a token expires no later than its parent.
   *
   * @throws Refusal FORBIDDEN for a role that allows more than the actor may do, for another
   *     principal unless the actor may make all tokens, and for a role of the platform that the
   *     actor has by signing in, NOT_FOUND for the project or the cluster, INVALID_FIELD for a role
   *     that does not match the project, the cluster or the principal, ILLEGAL_STATE when the
   *     principal is a member with less, LIMIT_EXCEEDED beyond {@link #MOST} or {@link #MOST_MADE},
   *     UNAUTHENTICATED when the actor's own token has ended
   */
  public Made create(Actor actor, NewToken wanted, boolean validateOnly) {
    String principal = wanted.principal() == null ? actor.name() : wanted.principal();
    TokenRules.allowed(actor, principal, wanted.role());
    Secret text = text();
    ApiToken token =
        transactions.call(() -> {
          List<Membership> held = memberships.locked(actor.tenant(), principal);
          ProjectId project = places.project(actor, wanted);
          Actor now = makers.now(actor, project);
          TokenRules.allowed(now, principal, wanted.role());
          ApiToken made = made(now, principal, wanted, project);
          boolean joins = joins(now, made, held);
          if (!validateOnly) {
            if (joins) {
              memberships.insert(member(made));
            }
            tokens.insert(made, TokenText.hash(text.reveal()));
            audit(actor, "createToken", null, made);
          }
          return made;
        });
    return new Made(new TokenView(token, wanted.project()), validateOnly ? null : text);
  }

  /**
   * Returns whether the principal becomes a member by this token. No caller becomes a member by its
   * own token: the roles of a signed-in user end with the groups of the issuer, and a membership
   * does not.
   *
   * @param held locked: a concurrent removal waits, and then finds this token to revoke
   * @throws Refusal ILLEGAL_STATE when its membership allows less than the token
   */
  private boolean joins(Actor actor, ApiToken token, List<Membership> held) {
    Principal asked = token.bearer();
    Principal allowed = asked.within(held);
    if (allowed.equals(asked)) {
      return false;
    }
    boolean itself = token.principal().equals(actor.name());
    if (itself || allowed.hasRoles() || Permissions.grant(actor, "createToken") != Grant.YES) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          ("%s does not have the role %s here, so a token with that role would have fewer"
                  + " permissions than the role. Choose the role that it has as a member, or ask"
                  + " an owner to change that role.")
              .formatted(token.principal(), token.role().wire()));
    }
    return true;
  }

  private TenantMember member(ApiToken token) {
    return new TenantMember(
        ids.next(),
        token.principal(),
        new Membership(token.tenant(), token.project(), token.role()),
        token.createdAt(),
        token.createdBy(),
        0);
  }

  private Secret text() {
    byte[] bits = new byte[TokenText.BYTES];
    random.nextBytes(bits);
    return new Secret(TokenText.of(bits));
  }

  private ApiToken made(
      Actor actor, String principal, NewToken wanted, @Nullable ProjectId project) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    ApiToken maker = makers.token(actor, now);
    bounded(actor, principal, now);
    Instant expires = now.plus(wanted.lifetime());
    return ApiTokenBuilder.builder()
        .id(new TokenId(ids.next()))
        .tenant(actor.tenant())
        .principal(principal)
        .name(wanted.name())
        .role(wanted.role())
        .project(project)
        .createdAt(now)
        .createdBy(actor.name())
        .madeBy(maker == null ? null : maker.id())
        .expiresAt(
            maker == null || expires.isBefore(maker.expiresAt()) ? expires : maker.expiresAt())
        .revokedAt(null)
        .cluster(places.cluster(wanted))
        .build();
  }

  private void bounded(Actor actor, String principal, Instant now) {
    if (tokens.valid(actor.tenant(), principal, now).size() >= MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          principal + " has " + MOST + " valid tokens. Revoke unused ones.");
    }
    if (tokens.made(actor.tenant(), actor.name(), now.minus(WINDOW)) >= MOST_MADE) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%s created %d tokens in the last %d hours, the maximum. Use those, or wait."
              .formatted(actor.name(), MOST_MADE, WINDOW.toHours()));
    }
  }

  /**
   * Lists tokens, newest first: all of the tenant, or only the actor's own by its permission.
   *
   * @param before only tokens created before this one, null for the newest
   */
  public List<TokenView> page(Actor actor, @Nullable TokenId before, int limit) {
    Permissions.require(actor, "listTokens");
    String whose = Permissions.grant(actor, "listTokens") == Grant.OWN ? actor.name() : null;
    return transactions.read(() -> {
      List<ApiToken> page = tokens.page(actor.tenant(), whose, before, limit);
      Map<ProjectId, String> names = new HashMap<>();
      return page.stream().map(token -> places.view(token, names)).toList();
    });
  }

  /**
   * @throws Refusal NOT_FOUND, also for a token of another principal that the actor may not read
   */
  public TokenView one(Actor actor, TokenId id) {
    return transactions.read(() -> places.view(found(actor, "getToken", id), new HashMap<>()));
  }

  /**
   * Revokes a token and the tokens created with it. Within seconds their holders are rejected and
   * their streams end. A repeated call has no effect.
   *
   * @throws Refusal NOT_FOUND, also for a token of another principal that the actor may not read,
   *     FORBIDDEN for a token that allows more than the actor may do
   */
  public void revoke(Actor actor, TokenId id) {
    transactions.run(() -> {
      ApiToken token = found(actor, "revokeToken", id);
      if (!PermissionMatrix.CURRENT.covers(actor.roles(), token.role())) {
        throw new Refusal(
            ProblemCode.FORBIDDEN,
            ("This token has the role %s, which grants more permissions than %s has. Ask an"
                    + " administrator to revoke it.")
                .formatted(token.role().wire(), actor.name()));
      }
      if (token.revokedAt() == null) {
        tokens.revoke(token, clock.instant());
        audit(actor, "revokeToken", token, tokens.find(actor.tenant(), id).orElse(null));
      }
    });
  }

  private ApiToken found(Actor actor, String operation, TokenId id) {
    Permissions.require(actor, operation);
    boolean own = Permissions.grant(actor, operation) == Grant.OWN;
    return tokens
        .find(actor.tenant(), id)
        .filter(token -> !own || token.principal().equals(actor.name()))
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no token " + id.text() + "."));
  }

  private void audit(
      Actor actor, String operation, @Nullable ApiToken before, @Nullable ApiToken after) {
    ApiToken token = Objects.requireNonNull(before == null ? after : before);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("principal", token.principal());
    detail.put("role", token.role().wire());
    audit.append(
        new AuditRecord(actor, operation, token.id().text(), true, detail).changed(before, after));
  }
}
