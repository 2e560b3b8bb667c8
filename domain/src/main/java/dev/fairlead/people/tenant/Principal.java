package dev.fairlead.people.tenant;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A person or a service account with all its roles. It is resolved once for each request.
 *
 * @param name shown in events and the audit log
 * @param home the tenant in which names are resolved
 * @param platform roles that apply everywhere
 * @param memberships roles in tenants and projects
 * @param credential the API token of the request, null if none
 * @param claimed memberships that its sign-in grants, regardless of stored ones
 */
@RecordBuilder
public record Principal(
    String name,
    Kind kind,
    TenantId home,
    SortedSet<Role> platform,
    List<Membership> memberships,
    @Nullable Credential credential,
    List<Membership> claimed)
    implements PrincipalBuilder.With {
  /** The kind of a principal. */
  public enum Kind {
    /** A person. */
    USER,
    /** A program with its own token. Its name begins with {@link #SERVICE_ACCOUNT_PREFIX}. */
    SERVICE_ACCOUNT;

    public static Kind of(String name) {
      return name.startsWith(SERVICE_ACCOUNT_PREFIX) ? SERVICE_ACCOUNT : USER;
    }
  }

  /** Distinguishes names of programs from names of people. */
  public static final String SERVICE_ACCOUNT_PREFIX = "sa:";

  /** Name of the administrator on this machine, if no sign-in is required. */
  public static final String LOCAL = "local";

  /** Name of the bearer of the bootstrap token. */
  public static final String BOOTSTRAP = "bootstrap";

  private static final int LONGEST_NAME = 128;

  /** Describes the names that {@link #isName} accepts, for messages. */
  public static final String NAME_RULE =
      "a name of at most 128 letters, digits, -, _, ., @, +, |, =, :, / and ~; a service account's"
          + " begins with sa: and has none of the last five; names that Fairlead uses itself (such"
          + " as scheduler, transfers, front/...) are reserved";

  private static final Pattern NAME =
      Pattern.compile("sa:[A-Za-z0-9][-A-Za-z0-9_.@+]*|(?!sa:)[-A-Za-z0-9_][-A-Za-z0-9_.@+|=:/~]*");

  public Principal {
    platform = Collections.unmodifiableSortedSet(new TreeSet<>(platform));
    memberships = List.copyOf(memberships);
    claimed = List.copyOf(claimed);
  }

  /** Creates a principal without an API token. */
  public Principal(
      String name,
      Kind kind,
      TenantId home,
      SortedSet<Role> platform,
      List<Membership> memberships) {
    this(name, kind, home, platform, memberships, null, memberships);
  }

  /**
   * Returns whether the name belongs to an administrator without an account. Jobs with these names
   * belong to the administrators.
   */
  public static boolean reserved(String name) {
    return name.equals(LOCAL) || name.equals(BOOTSTRAP);
  }

  /**
   * Returns whether a principal may have the name: at most 128 letters, digits, -, _, ., @ and +.
   * The issuer of a person's name may also use |, =, :, / and ~. Names of {@link OwnActor} are
   * refused.
   */
  public static boolean isName(String text) {
    return text.length() <= LONGEST_NAME && NAME.matcher(text).matches() && !OwnActor.has(text);
  }

  /**
   * Returns the principal in its tenant.
   *
   * @param project project of the request, null for the whole tenant, where project roles do not
   *     apply
   */
  public Actor at(@Nullable ProjectId project) {
    return actor(held -> held.project() == null || held.project().equals(project));
  }

  /**
   * Returns the principal in its tenant with the roles of all its projects, for objects of no
   * project.
   */
  public Actor anywhere() {
    return actor(held -> true);
  }

  private Actor actor(Predicate<Membership> counts) {
    List<Membership> here =
        memberships.stream().filter(m -> m.tenant().equals(home)).filter(counts).toList();
    TreeSet<Role> roles = new TreeSet<>(platform);
    here.forEach(held -> roles.add(held.role()));
    boolean wide = roles.stream().anyMatch(role -> role.scope() != Role.Scope.PROJECT);
    List<ProjectId> projects =
        here.stream().map(Membership::project).filter(Objects::nonNull).distinct().toList();
    TreeSet<Role> given = new TreeSet<>(platform);
    here.stream().filter(claimed::contains).forEach(held -> given.add(held.role()));
    return new Actor(home, name, roles, wide ? null : projects, credential, given);
  }

  /**
   * Returns the current roles of this principal: its original roles, for example the roles of its
   * token, limited by its current memberships. Platform roles are not memberships and remain.
   *
   * @param held its stored memberships at this moment, in all tenants
   */
  public Principal within(List<Membership> held) {
    List<Membership> both =
        memberships.stream()
            .flatMap(asked -> held.stream().flatMap(has -> asked.meet(has).stream()))
            .distinct()
            .toList();
    List<Membership> largest =
        both.stream()
            .filter(
                m -> both.stream().noneMatch(n -> !n.equals(m) && n.meet(m).equals(Optional.of(m))))
            .toList();
    return withMemberships(largest);
  }

  /**
   * Returns the principal with additional memberships. If the principal had no role and the
   * memberships belong to one tenant, that tenant becomes its home. With several tenants, its
   * requests must name a tenant. Otherwise the owner of any tenant could become the home of people
   * by making them members.
   */
  public Principal with(List<Membership> more) {
    List<Membership> all = Stream.concat(memberships.stream(), more.stream()).distinct().toList();
    List<TenantId> places = more.stream().map(Membership::tenant).distinct().toList();
    TenantId place = hasRoles() || places.size() != 1 ? home : places.getFirst();
    return with().home(place).memberships(all).build();
  }

  public boolean hasRoles() {
    return !platform.isEmpty() || !memberships.isEmpty();
  }

  /** Returns the principal in that tenant, empty without a role. */
  public Optional<Principal> in(TenantId tenant) {
    return platform.isEmpty() && memberships.stream().noneMatch(m -> m.tenant().equals(tenant))
        ? Optional.empty()
        : Optional.of(withHome(tenant));
  }
}
