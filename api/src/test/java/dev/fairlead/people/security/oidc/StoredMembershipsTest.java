package dev.fairlead.people.security.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.TenantId;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Reads of stored state by sign-ins. */
class StoredMembershipsTest {
  private static final TenantId BUSY = new TenantId(new UUID(1, 1));
  private static final TenantId OTHER = new TenantId(new UUID(1, 2));
  private final CountDownLatch reading = new CountDownLatch(2);
  private final CountDownLatch answered = new CountDownLatch(1);

  /** A database that responds late to queries of one tenant. */
  private MembershipStore slow() {
    return (MembershipStore)
        Proxy.newProxyInstance(
            MembershipStore.class.getClassLoader(),
            new Class<?>[] {MembershipStore.class},
            (self, method, arguments) -> {
              if (((String) arguments[0]).startsWith("busy")) {
                reading.countDown();
                assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
              }
              return List.of();
            });
  }

  /** Fails when sign-ins of one tenant block sign-ins of another tenant. */
  @Test
  void cachedMembersOfOneTenantLeaveCapacityForOtherTenants() throws InterruptedException {
    StoredMemberships stored = new StoredMemberships(new Unguarded(), slow(), System::nanoTime);
    try (ExecutorService people = Executors.newVirtualThreadPerTaskExecutor()) {
      IntStream.range(0, 4).forEach(i -> people.execute(() -> stored.of("busy-" + i, BUSY)));
      assertThat(reading.await(60, TimeUnit.SECONDS)).isTrue();

      assertThat(stored.of("ana", OTHER)).isEmpty();
      answered.countDown();
    }
  }

  /** Unlimited concurrent requests. */
  private static final class Unguarded implements Transactions {
    @Override
    public <T> T call(Supplier<T> work) {
      return work.get();
    }

    @Override
    public <T> T callFenced(HeldLease lease, Supplier<T> work) {
      return work.get();
    }

    @Override
    public <T> T read(Supplier<T> work) {
      return work.get();
    }
  }
}
