package dev.fairlead.people.membership.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.membership.service.Members.Place;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.service.NewToken;
import dev.fairlead.people.token.service.TokenPlaces;
import dev.fairlead.people.token.service.Tokens;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MembersTest {
  private static final Place TENANT = new Place(null, "putTenantMember");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Members members =
      new Members(
          stores.transactions(),
          stores.memberships(),
          stores.tenants(),
          stores.tokens(),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final Tokens tokens =
      new Tokens(
          stores.transactions(),
          stores.tokens(),
          new TokenPlaces(stores.tenants(), stores.inventory()),
          stores.memberships(),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final Actor admin = new Actor(world.tenant().id(), "local", Role.ADMIN);

  private ApiToken make(Actor maker, @Nullable String user, Role role) {
    NewToken wanted = new NewToken("laptop", user, role, null, null, Duration.ofDays(1));
    return tokens.create(maker, wanted, false).view().token();
  }

  private void put(String user, Role role) {
    members.put(admin, TENANT, user, role, null, false);
  }

  private boolean valid(ApiToken token) {
    return stores
        .tokens()
        .find(token.tenant(), token.id())
        .orElseThrow()
        .validAt(stores.clock().instant());
  }

  /**
   * Fails when an owner who becomes a viewer retains an owner's rights through a service account.
   */
  @Test
  void tokensThatALoweredMemberCouldNotMakeNowAreRevoked() {
    put("olga", Role.TENANT_OWNER);
    Actor olga = new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER);
    ApiToken owner = make(olga, "sa:deploy", Role.TENANT_OWNER);
    ApiToken viewer = make(olga, "sa:watch", Role.TENANT_VIEWER);
    ApiToken own = make(olga, null, Role.TENANT_OWNER);

    put("olga", Role.TENANT_VIEWER);

    assertThat(valid(owner)).isFalse();
    assertThat(valid(viewer)).isTrue();
    assertThat(valid(own)).as("allows what its principal may do now").isTrue();
  }

  /** Fails when tokens that a removed member created for others stay valid. */
  @Test
  void tokensThatARemovedMemberMadeForOthersAreRevoked() {
    put("olga", Role.TENANT_OWNER);
    ApiToken made =
        make(
            new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER),
            "sa:deploy",
            Role.TENANT_VIEWER);
    ApiToken others = make(admin, "sa:deploy", Role.TENANT_VIEWER);

    members.remove(admin, new Place(null, "removeTenantMember"), "olga", null, false);

    assertThat(valid(made)).isFalse();
    assertThat(valid(others)).isTrue();
  }

  /** Fails when tokens made with a platform role are judged by the membership of their maker. */
  @Test
  void grantsByAPlatformRoleSurviveALoweredMembershipOfItsHolder() {
    Actor amy = make(admin, "amy", Role.ADMIN).bearer().at(null);
    put("amy", Role.TENANT_OWNER);
    ApiToken made = make(amy, "sa:deploy", Role.TENANT_OWNER);

    put("amy", Role.TENANT_VIEWER);

    assertThat(valid(made)).isTrue();
  }

  /** Fails when the roles at the start of a request suffice to add or remove members. */
  @Test
  void callerRemovedMeanwhileCreatesAndRemovesNoMembers() {
    put("olga", Role.TENANT_OWNER);
    put("bob", Role.TENANT_VIEWER);
    Principal claims =
        new Principal("olga", Principal.Kind.USER, world.tenant().id(), new TreeSet<>(), List.of());
    Membership owner = new Membership(world.tenant().id(), null, Role.TENANT_OWNER);
    Actor olga = claims.with(List.of(owner)).at(null);
    Place removal = new Place(null, "removeTenantMember");
    members.put(olga, TENANT, "ana", Role.TENANT_OWNER, null, false);

    members.remove(admin, removal, "olga", null, false);

    refused(() -> members.put(olga, TENANT, "eve", Role.TENANT_OWNER, null, false));
    refused(() -> members.put(olga, TENANT, "bob", Role.TENANT_OWNER, null, false));
    refused(() -> members.remove(olga, removal, "bob", null, false));
  }

  private static void refused(ThrowingCallable work) {
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(work)
        .matches(refusal -> refusal.code() == ProblemCode.FORBIDDEN);
  }

  /** Fails when an owner who was just removed makes themselves members again. */
  @Test
  void callersCannotMakeThemselvesMembers() {
    Actor removed = new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER);

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> members.put(removed, TENANT, "olga", Role.TENANT_OWNER, null, false))
        .withMessageContaining("themselves members");
    assertThat(
            members.put(admin, TENANT, "local-helper", Role.TENANT_OWNER, null, true).principal())
        .isEqualTo("local-helper");
  }
}
