package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.TokenText;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenPrincipalsTest {
  private static final String TEXT = TokenText.of(new byte[TokenText.BYTES]);
  private static final int GUESSES = 300;
  private static final String HOME = "10.0.0.1";
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final AtomicInteger reads = new AtomicInteger();
  private volatile Runnable beforeRead = () -> {};
  private final AtomicLong nanos = new AtomicLong();
  private final TokenPrincipals principals =
      new TokenPrincipals(
          new Watched(), stores.tokens(), stores.memberships(), stores.clock(), nanos::get);
  private final TenantMember member =
      new TenantMember(
          stores.ids().next(),
          "sa:ci",
          new Membership(world.tenant().id(), null, Role.TENANT_MEMBER),
          stores.clock().instant(),
          "ana",
          0);

  TokenPrincipalsTest() {
    stores.memberships().insert(member);
  }

  private ApiToken kept() {
    ApiToken token =
        new ApiToken(
            new TokenId(stores.ids().next()),
            world.tenant().id(),
            "sa:ci",
            "ci",
            Role.TENANT_MEMBER,
            null,
            stores.clock().instant(),
            "ana",
            null,
            stores.clock().instant().plus(Duration.ofDays(1)),
            null,
            null);
    stores.tokens().insert(token, TokenText.hash(TEXT));
    return token;
  }

  @Test
  void bearerHasOnlyTheRoleOfTheToken() {
    kept();

    Principal bearer = principals.bearer(TEXT, HOME).orElseThrow();

    assertThat(bearer.name()).isEqualTo("sa:ci");
    assertThat(bearer.kind()).isEqualTo(Principal.Kind.SERVICE_ACCOUNT);
    assertThat(bearer.at(null).roles()).containsExactly(Role.TENANT_MEMBER);
  }

  /** Fails when a token retains permissions that its principal has lost. */
  @Test
  void tokenLosesRevokedPermissionsOfItsPrincipalWithinTwoSeconds() {
    kept();
    assertThat(principals.bearer(TEXT, HOME)).isPresent();
    TenantMember viewer = member.with(Role.TENANT_VIEWER);
    stores.memberships().update(viewer);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());

    assertThat(principals.bearer(TEXT, HOME).orElseThrow().at(null).roles())
        .containsExactly(Role.TENANT_VIEWER);

    stores.memberships().delete(viewer);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(principals.bearer(TEXT, HOME)).isEmpty();
  }

  /** Fails when a result is cached for longer than two seconds. */
  @Test
  void revokedTokenIsRejectedWithinTwoSeconds() {
    ApiToken token = kept();
    assertThat(principals.bearer(TEXT, HOME)).isPresent();
    stores.tokens().revoke(token, stores.clock().instant());

    nanos.addAndGet(Duration.ofSeconds(2).toNanos());

    assertThat(principals.bearer(TEXT, HOME)).isEmpty();
  }

  /** Fails when the expiry is checked only when the row is read. */
  @Test
  void expiredTokenIsRejectedImmediately() {
    kept();
    assertThat(principals.bearer(TEXT, HOME)).isPresent();

    stores.clock().advance(Duration.ofDays(1));

    assertThat(principals.bearer(TEXT, HOME)).isEmpty();
  }

  /**
   * Fails when an expired token is looked up on each request: a thousand such requests would delay
   * all callers.
   */
  @Test
  void endedTokenIsNotLookedUpAgain() {
    ApiToken token = kept();
    stores.tokens().revoke(token, stores.clock().instant());
    assertThat(principals.bearer(TEXT, HOME)).isEmpty();
    reads.set(0);
    nanos.addAndGet(Duration.ofHours(1).toNanos());

    assertThat(principals.bearer(TEXT, HOME)).isEmpty();

    assertThat(reads).hasValue(0);
  }

  /** Fails when an unseen token waits in the same line as a flood of guesses. */
  @Test
  void floodOfGuessesFromOneAddressDoesNotLockOutOtherAddresses() throws Exception {
    kept();
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    beforeRead =
        () -> {
          reading.countDown();
          await().until(() -> goOn.getCount() == 0);
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<Principal>>> guesses = new ArrayList<>();
      for (int i = 1; i <= GUESSES; i++) {
        String guess = TokenText.of(ByteBuffer.allocate(TokenText.BYTES).putInt(i).array());
        guesses.add(threads.submit(() -> principals.bearer(guess, "10.6.6.6")));
      }
      reading.await();
      await().until(() -> guesses.stream().anyMatch(Future::isDone)); // the queue is full
      Future<Optional<Principal>> mine = threads.submit(() -> principals.bearer(TEXT, HOME));
      goOn.countDown();

      assertThat(mine.get()).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fl_", "fl_short", "FL_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", ""})
  void malformedTokenIsRejected(String text) {
    kept();

    assertThat(principals.bearer(text, HOME)).isEmpty();
    assertThat(principals.bearer(TEXT + "x", HOME)).isEmpty();
  }

  /** Counts reads. */
  private final class Watched implements Transactions {
    @Override
    public <T> T call(Supplier<T> work) {
      return stores.transactions().call(work);
    }

    @Override
    public <T> T callFenced(HeldLease lease, Supplier<T> work) {
      return stores.transactions().callFenced(lease, work);
    }

    @Override
    public <T> T read(Supplier<T> work) {
      reads.incrementAndGet();
      beforeRead.run();
      return stores.transactions().read(work);
    }
  }
}
