package dev.fairlead.kernel.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class IdempotencyTest {
  private static final Actor ANA =
      new Actor(new TenantId(new UUID(1, 1)), "ana", Role.TENANT_MEMBER);
  private static final RequestKey KEY = new RequestKey("k", "hash-1");

  private final MemoryStores stores = MemoryStores.empty(1);
  private final Idempotency once = new Idempotency(stores.idempotency());

  @Test
  void firstRequestHasItsEffectAndTheSecondGetsItsResponse() {
    stores
        .transactions()
        .run(() -> {
          assertThat(once.earlier(ANA, "submit", KEY)).isEmpty();
          once.remember(ANA, "submit", KEY, "job_1");
        });

    assertThat(once.earlier(ANA, "submit", KEY)).contains("job_1");
    assertThat(once.earlier(ANA, "cancel", KEY)).isEmpty();
  }

  @Test
  void keyWithAnotherBodyIsRejected() {
    once.remember(ANA, "submit", KEY, "job_1");

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> once.earlier(ANA, "submit", new RequestKey("k", "hash-2")))
        .satisfies(
            refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.IDEMPOTENCY_KEY_REUSED));
  }

  @Test
  void requestWithoutAKeyIsNeverARepeat() {
    once.remember(ANA, "submit", null, "job_1");

    assertThat(once.earlier(ANA, "submit", null)).isEmpty();
  }

  /** Fails when the response is read under a key that another request holds: that waits. */
  @Test
  void keyInProgressIsRejected() {
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      ProblemCode answer =
          stores
              .transactions()
              .call(() -> {
                once.earlier(ANA, "cancel", new RequestKey("elsewhere", "h"));
                stores
                    .idempotency()
                    .claim(List.of(new IdempotencyKey(ANA.tenant(), "ana", "submit", "k")));
                return CompletableFuture.supplyAsync(this::codeOfASecondRequest, other)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
              });
      assertThat(answer).isEqualTo(ProblemCode.IDEMPOTENCY_IN_FLIGHT);
    }
  }

  private ProblemCode codeOfASecondRequest() {
    try {
      once.earlier(ANA, "submit", KEY);
      throw new IllegalStateException("was not refused");
    } catch (Refusal refusal) {
      return refusal.code();
    }
  }
}
