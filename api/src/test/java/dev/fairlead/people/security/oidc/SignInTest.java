package dev.fairlead.people.security.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The end of an access by a token of the issuer. */
class SignInTest {
  private static final Instant EXPIRES = Instant.parse("2026-03-01T12:00:00Z");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Membership member =
      new Membership(world.tenant().id(), world.project().id(), Role.PROJECT_MEMBER);
  private final AtomicReference<List<Membership>> held = new AtomicReference<>(List.of(member));
  private final AtomicReference<Instant> now = new AtomicReference<>(EXPIRES.minusSeconds(1));
  private final AtomicLong nanos = new AtomicLong();
  private final SignIn signIn =
      new SignIn(
          new OidcSettings(
              "https://issuer.example.com",
              "fairlead",
              List.of("RS256"),
              "sub",
              "groups",
              List.of(),
              new OidcSettings.Clients("", "", List.of())),
          stores.transactions(),
          stores.tenants(),
          (MembershipStore)
              Proxy.newProxyInstance(
                  MembershipStore.class.getClassLoader(),
                  new Class<?>[] {MembershipStore.class},
                  (self, method, arguments) -> held.get()),
          now::get,
          nanos::get);

  private SignIn.SignedIn signedIn(List<Membership> claimed) {
    Principal ana =
        new Principal("ana", Principal.Kind.USER, world.tenant().id(), new TreeSet<>(), claimed);
    return new SignIn.SignedIn(ana, held.get(), EXPIRES);
  }

  /** Fails when a long session is cut by its short token, or a stream without a limit is not. */
  @Test
  void aSessionOfAStoredMemberOutlivesItsToken() {
    SignIn.SignedIn ana = signedIn(List.of());
    assertThat(signIn.stands(ana)).isTrue();
    now.set(EXPIRES);
    assertThat(signIn.stands(ana)).isFalse();
    assertThat(signIn.sessionStands(ana)).isTrue();
  }

  /** Fails when a removed member continues its session after its token has expired. */
  @Test
  void aRemovedMemberLosesItsSessionWithinSeconds() {
    SignIn.SignedIn ana = signedIn(List.of());
    now.set(EXPIRES.plus(Duration.ofHours(1)));
    assertThat(signIn.sessionStands(ana)).isTrue();
    held.set(List.of());
    nanos.addAndGet(Duration.ofSeconds(3).toNanos());
    assertThat(signIn.sessionStands(ana)).isFalse();
  }

  /** Fails when a user that left its group at the issuer retains access for the longest session. */
  @Test
  void rolesGrantedByATokenEndWithIt() {
    SignIn.SignedIn ana = signedIn(List.of(member));
    assertThat(signIn.sessionStands(ana)).isTrue();
    now.set(EXPIRES);
    assertThat(signIn.sessionStands(ana)).isFalse();
  }

  /** Fails when a page of a session remains open to a removed member, or closes for no reason. */
  @Test
  void proofIsValidWhileTheMembershipsOfTheSignInAreUnchanged() {
    String proof = signIn.proof(signedIn(List.of()));
    now.set(EXPIRES.plus(Duration.ofHours(1)));
    nanos.addAndGet(Duration.ofSeconds(3).toNanos());
    assertThat(signIn.proves(proof)).isTrue();

    held.set(List.of());
    assertThat(signIn.proves(proof)).as("believed for two seconds").isTrue();
    nanos.addAndGet(Duration.ofSeconds(3).toNanos());
    assertThat(signIn.proves(proof)).isFalse();
  }

  /** Fails when a proof is parsed again, so that a removed member retains access. */
  @Test
  void proofExcludesMembershipsChangedAfterTheSignIn() {
    SignIn.SignedIn ana = signedIn(List.of());
    held.set(List.of());
    nanos.addAndGet(Duration.ofSeconds(3).toNanos());
    assertThat(signIn.proves(signIn.proof(ana))).isFalse();
  }
}
