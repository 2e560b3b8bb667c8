package dev.fairlead.people.tenant;

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
 * A person or a service account with everything it may do. Resolved once for each request.
 *
 * @param name what events and the audit log show
 * @param home the tenant whose names it means
 * @param platform roles that count everywhere
 * @param memberships roles in tenants and projects
 * @param credential the API token of the request, null when it came with none
 * @param claimed those of the memberships that its sign-in gives, whatever is stored
 */
public record Principal(
    String name,
    Kind kind,
    TenantId home,
    SortedSet<Role> platform,
    List<Membership> memberships,
    @Nullable Credential credential,
    List<Membership> claimed) {
  /** What stands behind a principal. */
  public enum Kind {
    /** A person. */
    USER,
    /** A program with a token of its own; its name begins with {@link #SERVICE_ACCOUNT_PREFIX}. */
    SERVICE_ACCOUNT;

    public static Kind of(String name) {
      return name.startsWith(SERVICE_ACCOUNT_PREFIX) ? SERVICE_ACCOUNT : USER;
    }
  }

  /** Keeps names of programs apart from those of people. */
  public static final String SERVICE_ACCOUNT_PREFIX = "sa:";

  /** Name of the administrator on this machine, where no sign-in is needed. */
  public static final String LOCAL = "local";

  /** Name of the bearer of the bootstrap token. */
  public static final String BOOTSTRAP = "bootstrap";

  private static final int LONGEST_NAME = 128;

  /** What {@link #isName} accepts, for messages. */
  public static final String NAME_RULE =
      "a name of at most 128 letters, digits, -, _, ., @, +, |, =, :, / and ~; a service account's"
          + " begins with sa: and has none of the last five; names that Fairlead uses itself (such"
          + " as scheduler, transfers, front/...) are taken";

  private static final Pattern NAME =
      Pattern.compile("sa:[A-Za-z0-9][-A-Za-z0-9_.@+]*|(?!sa:)[-A-Za-z0-9_][-A-Za-z0-9_.@+|=:/~]*");

  public Principal {
    platform = Collections.unmodifiableSortedSet(new TreeSet<>(platform));
    memberships = List.copyOf(memberships);
    claimed = List.copyOf(claimed);
  }

  /** One that did not come with an API token. */
  public Principal(
      String name,
      Kind kind,
      TenantId home,
      SortedSet<Role> platform,
      List<Membership> memberships) {
    this(name, kind, home, platform, memberships, null, memberships);
  }

  /**
   * Whether the name is that of an administrator without an account. Jobs of these names are the
   * administrators' own.
   */
  public static boolean reserved(String name) {
    return name.equals(LOCAL) || name.equals(BOOTSTRAP);
  }

  /**
   * Whether a principal may have the name: at most 128 letters, digits, -, _, ., @ and +. The
   * issuer of a person's name may also use |, =, :, / and ~. Names of {@link OwnActor} are refused.
   */
  public static boolean isName(String text) {
    return text.length() <= LONGEST_NAME && NAME.matcher(text).matches() && !OwnActor.has(text);
  }

  /**
   * The principal in its tenant.
   *
   * @param project what the request is about, null for the tenant as a whole: roles of a project
   *     then do not count
   */
  public Actor at(@Nullable ProjectId project) {
    return actor(held -> held.project() == null || held.project().equals(project));
  }

  /** The principal in its tenant with the roles of all its projects, for what is no project's. */
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
   * What this principal may do now: of the roles that it came with, for example those of its token,
   * what its memberships still allow. Roles of the platform are no memberships and stay.
   *
   * @param held what is stored of it at this moment, in all tenants
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
    return new Principal(name, kind, home, platform, largest, credential, claimed);
  }

  /**
   * The principal with these memberships besides its own; when it had no role at all and they are
   * of one tenant, at home there. With several, its requests name one: otherwise the owner of any
   * tenant could become the home of people by making them members.
   */
  public Principal with(List<Membership> more) {
    List<Membership> all = Stream.concat(memberships.stream(), more.stream()).distinct().toList();
    List<TenantId> places = more.stream().map(Membership::tenant).distinct().toList();
    TenantId place = hasRoles() || places.size() != 1 ? home : places.getFirst();
    return new Principal(name, kind, place, platform, all, credential, claimed);
  }

  /** Whether any role is left to it. */
  public boolean hasRoles() {
    return !platform.isEmpty() || !memberships.isEmpty();
  }

  /** The principal at work in that tenant; empty when it has no role there. */
  public Optional<Principal> in(TenantId tenant) {
    return platform.isEmpty() && memberships.stream().noneMatch(m -> m.tenant().equals(tenant))
        ? Optional.empty()
        : Optional.of(
            new Principal(name, kind, tenant, platform, memberships, credential, claimed));
  }
}
