package dev.fairlead.kernel.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class StreamReauthorizationTest {
  private final MockHttpServletRequest request = new MockHttpServletRequest();

  @Test
  void streamWithoutATokenStaysOpen() {
    assertThat(StreamReauthorization.known(request)).isTrue();
  }

  /** Fails when a session has the check of a stream, which ends with the token. */
  @Test
  void sessionMayHaveASeparateCheck() {
    StreamReauthorization.set(request, () -> false);
    assertThat(StreamReauthorization.of(request).getAsBoolean()).isFalse();
    StreamReauthorization.setForSession(request, () -> true);
    assertThat(StreamReauthorization.of(request).getAsBoolean()).isTrue();
    assertThat(StreamReauthorization.known(request)).isFalse();
  }

  /** Fails when a follower of a member's output continues with a revoked token. */
  @Test
  void silentSourceIsCutOffWhenAccessEnds() throws IOException, InterruptedException {
    assertCut(() -> false);
  }

  @Test
  void streamIsClosedWhenAccessCannotBeVerified() throws IOException, InterruptedException {
    assertCut(() -> {
      throw new IllegalStateException("the database is away");
    });
  }

  /** Fails when a short outage of the database ends sessions, or a long outage does not. */
  @Test
  void uncheckableSessionEndsTenSecondsAfterItsLastCheck() {
    AtomicLong nanos = new AtomicLong(-5);
    AtomicReference<BooleanSupplier> answer = new AtomicReference<>(() -> true);
    BooleanSupplier access =
        StreamReauthorization.patient(() -> answer.get().getAsBoolean(), nanos::get);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(20));
    assertThat(access.getAsBoolean()).isTrue();
    answer.set(() -> {
      throw new IllegalStateException("the database is away");
    });
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(9));
    assertThat(access.getAsBoolean()).isTrue();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(access.getAsBoolean()).isFalse();
    answer.set(() -> false);
    assertThat(access.getAsBoolean()).isFalse();
  }

  private void assertCut(BooleanSupplier standing) throws IOException, InterruptedException {
    CountDownLatch cut = new CountDownLatch(1);
    StreamReauthorization.set(request, standing);
    InputStream silent =
        new InputStream() {
          @Override
          public int read() {
            return -1;
          }

          @Override
          public void close() {
            cut.countDown();
          }
        };

    try (InputStream output = StreamReauthorization.cutting(request, silent)) {
      assertThat(cut.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(output.read()).isNegative();
    }
  }
}
