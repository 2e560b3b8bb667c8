package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrincipalTest {
  private static final TenantId ACME = new TenantId(new UUID(1, 1));
  private static final TenantId OTHER = new TenantId(new UUID(1, 2));
  private static final ProjectId NLP = new ProjectId(new UUID(2, 1));
  private static final ProjectId VISION = new ProjectId(new UUID(2, 2));

  private static Principal signedIn(Membership... asked) {
    return new Principal("ana", Principal.Kind.USER, ACME, new TreeSet<>(), List.of(asked));
  }

  private static Membership in(@Nullable ProjectId project, Role role) {
    return new Membership(ACME, project, role);
  }

  /** Fails when a token retains permissions that its principal has lost. */
  /** Fails when names of an issuer sign in but cannot be members. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ana",
        "ana@example.com",
        "auth0|5f7c8ec7",
        "repo:acme/train:ref:refs/heads/main",
        "-Ab_9~=",
        "_x",
        "https://id.example/ana",
        "sa:ci"
      })
  void principalNameIsOneThatIssuersProduce(String name) {
    assertThat(Principal.isName(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "sa:", "sa:a/b", "sa:|", "..", ".", "/ana", "=cmd", "a b", "a;b", "a%b"})
  void nameStartsWithALetterOrDigitAndHasNoOtherCharacters(String name) {
    assertThat(Principal.isName(name)).isFalse();
  }

  /** Fails when a user with the name transfers at the issuer owns the jobs of the copies. */
  @Test
  void principalCannotHaveANameReservedForFairlead() {
    List<String> own =
        new ArrayList<>(
            List.of(
                OwnActor.front("eu-1", "team-a"),
                "front/",
                OwnActor.repairer("eu-1"),
                OwnActor.conditions("eu-1")));
    Stream.of(OwnActor.values()).map(OwnActor::text).forEach(own::add);

    assertThat(own).contains("health-tests", "budgets").noneMatch(Principal::isName);
    assertThat(own).contains("repairer/eu-1", "conditions/eu-1");
    assertThat(List.of("frontier/eu", "repairer", "conditions")).allMatch(Principal::isName);
  }

  @Test
  void initialRolesCountWhileTheMembershipLasts() {
    Principal owner = signedIn(in(null, Role.TENANT_OWNER));

    assertThat(owner.within(List.of(in(null, Role.TENANT_OWNER)))).isEqualTo(owner);
    assertThat(owner.within(List.of(in(null, Role.TENANT_VIEWER))).memberships())
        .containsExactly(in(null, Role.TENANT_VIEWER));
    assertThat(owner.within(List.of(in(NLP, Role.PROJECT_MEMBER))).memberships())
        .containsExactly(in(NLP, Role.PROJECT_MEMBER));
    assertThat(owner.within(List.of()).hasRoles()).isFalse();
    assertThat(owner.within(List.of(new Membership(OTHER, null, Role.TENANT_OWNER))).hasRoles())
        .isFalse();
  }

  /** Fails when a token of one project gets the other roles of its principal. */
  @Test
  void projectRoleStaysInItsProject() {
    Principal member = signedIn(in(NLP, Role.PROJECT_MEMBER));

    assertThat(member.within(List.of(in(null, Role.TENANT_OWNER)))).isEqualTo(member);
    assertThat(member.within(List.of(in(null, Role.TENANT_VIEWER))).memberships())
        .containsExactly(in(NLP, Role.PROJECT_VIEWER));
    assertThat(member.within(List.of(in(VISION, Role.PROJECT_OWNER))).hasRoles()).isFalse();
  }

  /** Fails when stored roles replace the roles of the sign-in, or change the home tenant. */
  @Test
  void membershipsAddToExistingRoles() {
    Principal viewer = signedIn(in(null, Role.TENANT_VIEWER));
    Membership there = new Membership(OTHER, null, Role.TENANT_OWNER);

    assertThat(viewer.with(List.of(there)).memberships())
        .containsExactly(in(null, Role.TENANT_VIEWER), there);
    assertThat(viewer.with(List.of(there)).home()).isEqualTo(ACME);
    assertThat(viewer.with(viewer.memberships())).isEqualTo(viewer);
    assertThat(signedIn().with(List.of(there)).home()).isEqualTo(OTHER);
    assertThat(signedIn().with(List.of())).isEqualTo(signedIn());
  }

  /**
   * Fails when the owner of any tenant can become the home tenant of people by adding them as
   * members.
   */
  @Test
  void memberOfSeveralTenantsHasNoHomeTenant() {
    Membership there = new Membership(OTHER, null, Role.TENANT_VIEWER);
    Principal both = signedIn().with(List.of(there, in(null, Role.TENANT_OWNER)));

    assertThat(both.home()).isEqualTo(signedIn().home());
    assertThat(both.in(OTHER).orElseThrow().at(null).roles()).containsExactly(Role.TENANT_VIEWER);
  }

  /** Fails when a smaller role in addition to a larger role makes the token appear narrowed. */
  @Test
  void roleCoveredByALargerOneIsOmitted() {
    Principal member = signedIn(in(NLP, Role.PROJECT_MEMBER));

    assertThat(member.within(List.of(in(null, Role.TENANT_VIEWER), in(NLP, Role.PROJECT_OWNER))))
        .isEqualTo(member);
  }

  @Test
  void platformRolesAreNotMemberships() {
    Principal admin =
        new Principal(
            "amy", Principal.Kind.USER, ACME, new TreeSet<>(List.of(Role.ADMIN)), List.of());

    assertThat(admin.within(List.of())).isEqualTo(admin);
    assertThat(admin.hasRoles()).isTrue();
    assertThat(admin.in(OTHER).orElseThrow().home()).isEqualTo(OTHER);
  }

  /** Fails when any caller can enter a tenant by its name. */
  @Test
  void onlyMembersCanEnterATenant() {
    assertThat(signedIn(in(NLP, Role.PROJECT_VIEWER)).in(ACME)).isPresent();
    assertThat(signedIn(in(null, Role.TENANT_OWNER)).in(OTHER)).isEmpty();
  }

  /**
   * Fails when a row of the matrix permits a role less than a lower one: the intersection of two
   * memberships would then not be the smaller role.
   */
  @Test
  void largerRoleHasAllPermissionsOfASmallerOne() {
    List<Role> tenant = List.of(Role.TENANT_OWNER, Role.TENANT_MEMBER, Role.TENANT_VIEWER);
    List<Role> project = tenant.stream().map(Role::inProject).toList();
    List<String> broken = new ArrayList<>();
    for (List<Role> ladder : List.of(tenant, project)) {
      for (int i = 1; i < ladder.size(); i++) {
        broken.addAll(lessThan(ladder.get(i - 1), ladder.get(i)));
      }
    }
    for (Role role : tenant) {
      broken.addAll(lessThan(role, role.inProject()));
    }

    assertThat(broken).isEmpty();
  }

  private static List<String> lessThan(Role larger, Role smaller) {
    PermissionMatrix matrix = PermissionMatrix.CURRENT;
    Stream<String> broken =
        matrix.operations().stream()
            .filter(o ->
                matrix.grant(o, List.of(larger)).compareTo(matrix.grant(o, List.of(smaller))) < 0);
    return broken.map(o -> o + ": " + larger.wire() + " < " + smaller.wire()).toList();
  }
}
