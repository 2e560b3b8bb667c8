package dev.fairlead.kernel.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.BufferedResponse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class OverloadFilterTest {
  private static final FilterChain ANSWERS = (request, response) -> {};
  private static final Answering LARGE = (request, out) -> out.write(new byte[70_000]);

  private static OverloadFilter filter(int perMinute, int concurrent) {
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    return new OverloadFilter(
        new RequestBudgets(perMinute, () -> new LimitBook(List.of(), perMinute), metrics),
        concurrent,
        Duration.ofMillis(1),
        metrics);
  }

  private static MockHttpServletResponse get(OverloadFilter filter, String path, FilterChain chain)
      throws ServletException, IOException {
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter.doFilter(new MockHttpServletRequest("GET", path), response, chain);
    return response;
  }

  private static MockHttpServletResponse by(
      String caller, OverloadFilter filter, String path, FilterChain chain)
      throws ServletException, IOException {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
    request.setRemoteUser(caller);
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter.doFilter(request, response, chain);
    return response;
  }

  /**
   * Fails when one budget is shared by all, or when a path with a foreign or nonexistent project is
   * charged to a different payer than the caller.
   */
  @Test
  void callerWithoutBudgetWaitsAndOthersDoNot() throws Exception {
    OverloadFilter filter = filter(3, 10);
    String path = "/api/v1/projects/victim/jobs";
    for (int i = 0; i < 3; i++) {
      String guessed = "/api/v1/projects/guessed-" + i + "/jobs";
      assertThat(by("loud", filter, guessed, ANSWERS).getStatus()).isEqualTo(200);
    }
    MockHttpServletResponse refused = by("loud", filter, path, ANSWERS);
    assertThat(refused.getStatus()).isEqualTo(429);
    assertThat(refused.getContentAsString()).contains("RATE_LIMITED");
    assertThat(Integer.parseInt(String.valueOf(refused.getHeader("Retry-After")))).isBetween(1, 20);
    assertThat(by("calm", filter, path, ANSWERS).getStatus()).isEqualTo(200);
  }

  /** Fails when a request bypasses the rate limits by an escaped letter in its path. */
  @Test
  void equivalentSpellingsOfAPathShareOneLimit() throws Exception {
    OverloadFilter filter = filter(1, 10);
    assertThat(get(filter, "/%61pi/v1/jobs", ANSWERS).getStatus()).isEqualTo(200);
    assertThat(get(filter, "/%61pi/v1/jobs", ANSWERS).getStatus()).isEqualTo(429);
  }

  /** Fails when reads and changes share a budget: a poller would keep jobs from being cancelled. */
  @Test
  void readsUseNoBudgetOfChanges() throws Exception {
    OverloadFilter filter = filter(3, 10);
    for (int i = 0; i < 4; i++) {
      get(filter, "/api/v1/jobs/job_1", ANSWERS);
    }
    assertThat(get(filter, "/api/v1/jobs/job_1", ANSWERS).getStatus()).isEqualTo(429);
    MockHttpServletResponse cancelled = new MockHttpServletResponse();
    post(filter, new MockHttpServletRequest("POST", "/api/v1/jobs/job_1/cancel"), cancelled);
    assertThat(cancelled.getStatus()).isEqualTo(200);
  }

  /** Fails when one payer can hold every permit, as with slow lists. */
  @Test
  void halfOfTheConcurrencyIsLeftToOthers() throws Exception {
    OverloadFilter filter = filter(0, 2);
    String path = "/api/v1/projects/shared/jobs";
    by(
        "loud",
        filter,
        path,
        (request, response) -> {
          assertThat(by("loud", filter, path, ANSWERS).getStatus()).isEqualTo(429);
          assertThat(by("calm", filter, path, ANSWERS).getStatus()).isEqualTo(200);
        });
    assertThat(by("loud", filter, path, ANSWERS).getStatus()).isEqualTo(200);
  }

  /** Fails when payers share lines by a hash of their names, which a caller can choose. */
  @Test
  void callerIsNotThrottledByAHashCollision() throws Exception {
    OverloadFilter filter = filter(0, 2);
    assertThat("Aa/ana".hashCode()).isEqualTo("BB/ana".hashCode());
    by(
        "Aa/ana",
        filter,
        "/api/v1/jobs",
        (request, response) ->
            assertThat(by("BB/ana", filter, "/api/v1/jobs", ANSWERS).getStatus()).isEqualTo(200));
  }

  /** Fails when reads and changes of one caller, or of its service accounts, take every slot. */
  @Test
  void callerAndTenantLeaveConcurrencyToOthersWhateverTheySend() {
    OverloadFilter filter = filter(0, 12);
    List<String> reads = Collections.nCopies(12, "GET acme/loud");
    List<String> changes = Collections.nCopies(12, "POST acme/loud");
    List<String> made = IntStream.range(0, 12).mapToObj(i -> "GET acme/sa:" + i).toList();

    assertThat(inside(filter, reads)).isEqualTo(6);
    assertThat(inside(filter, both(reads.subList(0, 6), changes))).isEqualTo(8);
    assertThat(inside(filter, both(reads.subList(0, 6), made))).isEqualTo(10);
    assertThat(inside(filter, both(made.subList(0, 10), List.of("GET calm/ana", "GET calm/ben"))))
        .isEqualTo(12);
  }

  private static List<String> both(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  private interface Answering {
    void write(HttpServletRequest request, OutputStream out) throws IOException;
  }

  /**
   * Number of concurrent responses when each request is sent while the previous response is
   * written.
   */
  private static int inside(OverloadFilter filter, List<String> requests, Answering answer) {
    return nested(
        filter, requests, (request, response) -> answer.write(request, response.getOutputStream()));
  }

  /** The number processed concurrently: each is sent from within the previous one. */
  private static int inside(OverloadFilter filter, List<String> requests) {
    return nested(filter, requests, (request, response) -> {});
  }

  private interface Step {
    void take(HttpServletRequest request, ServletResponse response) throws IOException;
  }

  private static int nested(OverloadFilter filter, List<String> requests, Step step) {
    if (requests.isEmpty()) {
      return 0;
    }
    String[] first = requests.getFirst().split(" ", 2);
    MockHttpServletRequest request = new MockHttpServletRequest(first[0], "/api/v1/jobs");
    request.setRemoteUser(first[1]);
    AtomicInteger entered = new AtomicInteger();
    FilterChain rest =
        (q, s) -> {
          step.take((HttpServletRequest) q, s);
          entered.set(1 + nested(filter, requests.subList(1, requests.size()), step));
        };
    try {
      filter.doFilter(request, new MockHttpServletResponse(), rest);
    } catch (ServletException | IOException e) {
      throw new IllegalStateException(e);
    }
    return entered.get();
  }

  /** Fails when unknown limits permit everything, or cause an error. */
  @Test
  void requestsBeforeLimitsAreLoadedAreAskedToRetry() throws Exception {
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    LimitSource unread =
        () -> {
          throw new Refusal(ProblemCode.UNAVAILABLE, "not yet");
        };
    OverloadFilter filter =
        new OverloadFilter(
            new RequestBudgets(1, unread, metrics), 1, Duration.ofMillis(1), metrics);

    MockHttpServletResponse refused = by("acme/ana", filter, "/api/v1/jobs", ANSWERS);

    assertThat(refused.getStatus()).isEqualTo(503);
    assertThat(refused.getHeader("Retry-After")).isNotNull();
  }

  /**
   * Fails when each service account of a caller has a rate limit without a shared limit above it.
   */
  @Test
  void callersOfATenantShareABudget() throws Exception {
    OverloadFilter filter = filter(2, 10);
    for (int i = 0; i < 2 * LimitBook.CALLERS_OF_A_TENANT; i++) {
      assertThat(by("acme/sa:" + i, filter, "/api/v1/jobs", ANSWERS).getStatus()).isEqualTo(200);
    }
    assertThat(by("acme/sa:new", filter, "/api/v1/jobs", ANSWERS).getStatus()).isEqualTo(429);
    assertThat(by("calm/ana", filter, "/api/v1/jobs", ANSWERS).getStatus()).isEqualTo(200);
  }

  /** Fails when concurrent requests are unbounded, or when streams bypass the bound. */
  @Test
  void requestAndStreamBeyondTheConcurrencyLimitAreRejected() throws Exception {
    OverloadFilter filter = filter(0, 1);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    Thread slow =
        Thread.ofVirtual()
            .start(() -> {
              try {
                get(
                    filter,
                    "/api/v1/jobs",
                    (request, response) -> {
                      inside.countDown();
                      HeldBodies.await(leave);
                    });
              } catch (ServletException | IOException e) {
                throw new IllegalStateException(e);
              }
            });
    HeldBodies.await(inside);
    MockHttpServletResponse refused = get(filter, "/api/v1/jobs", ANSWERS);
    assertThat(refused.getStatus()).isEqualTo(429);
    assertThat(refused.getHeader("Retry-After")).isEqualTo("1");
    assertThat(get(filter, "/api/v1/jobs/x/logs", ANSWERS).getStatus()).isEqualTo(429);
    assertThat(get(filter, "/api/v1/events/stream", ANSWERS).getStatus()).isEqualTo(429);
    leave.countDown();
    slow.join();
    assertThat(get(filter, "/api/v1/jobs", ANSWERS).getStatus()).isEqualTo(200);
  }

  /** Fails when the slot is taken before the body has arrived. */
  @Test
  void incompleteBodyUsesNoConcurrency() throws Exception {
    OverloadFilter filter = filter(0, 1);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch more = new CountDownLatch(1);
    Thread slow =
        Thread.ofVirtual()
            .start(() ->
                post(
                    filter, new HeldBodies.SlowBody(reading, more), new MockHttpServletResponse()));
    HeldBodies.await(reading);
    assertThat(get(filter, "/api/v1/jobs", ANSWERS).getStatus()).isEqualTo(200);
    more.countDown();
    slow.join();
  }

  /** Fails when the slot is held until the answer is read. */
  @Test
  void slowlyReadResponseUsesNoConcurrency() throws Exception {
    OverloadFilter filter = filter(0, 1);
    get(
        filter,
        "/api/v1/jobs",
        (request, response) -> {
          response.getOutputStream();
          assertThat(get(filter, "/api/v1/me", ANSWERS).getStatus()).isEqualTo(200);
        });
    assertThat(get(filter, "/api/v1/jobs", ANSWERS).getStatus()).isEqualTo(200);
  }

  /** Fails without a bound on answers that are read slowly: a few hundred fill the memory. */
  @Test
  void unreadResponsesOfACallerAreBoundedAndOthersProceed() {
    OverloadFilter filter = filter(0, 200);
    List<String> unread = Collections.nCopies(20, "GET acme/loud");
    List<String> made = sent("acme/sa:", 70);
    List<String> everywhere =
        IntStream.range(0, 150).mapToObj(i -> "GET t" + i / 50 + "/sa:" + i).toList();

    assertThat(inside(filter, unread, LARGE)).isEqualTo(16);
    assertThat(inside(filter, both(unread.subList(0, 16), made), LARGE)).isEqualTo(64);
    assertThat(inside(filter, both(everywhere, List.of("GET t0/calm")), LARGE)).isEqualTo(128);
    assertThat(inside(filter, both(everywhere.subList(0, 128), List.of("GET calm/ana")), LARGE))
        .isEqualTo(129);
  }

  /** Fails when each response counts: a portal with many small responses would be blocked. */
  @Test
  void smallAnswersAndStreamsAreNotCounted() {
    List<String> sent = Collections.nCopies(40, "GET acme/ana");

    assertThat(inside(filter(0, 200), sent, (request, out) -> out.write(new byte[60_000])))
        .isEqualTo(40);
    assertThat(
            inside(
                filter(0, 200),
                sent,
                (request, out) -> {
                  BufferedResponse.inPieces(request);
                  out.write(new byte[200_000]);
                }))
        .isEqualTo(40);
  }

  private static List<String> sent(String by, int times) {
    return IntStream.range(0, times).mapToObj(i -> "GET " + by + i).toList();
  }

  /** Fails when unfinished bodies of one caller leave no capacity for the bodies of others. */
  @Test
  void bodiesOfOneCallerLeaveCapacityForOtherCallers() throws Exception {
    OverloadFilter filter = filter(0, 12);
    CountDownLatch heldOrRefused = new CountDownLatch(64);
    CountDownLatch more = new CountDownLatch(1);
    AtomicInteger refused = new AtomicInteger();
    List<Thread> bodies =
        Stream.generate(() ->
                Thread.ofVirtual()
                    .start(() -> {
                      try {
                        int status =
                            posted(filter, "acme/loud", HeldBodies.endless(heldOrRefused, more));
                        refused.addAndGet(status == 429 ? 1 : 0);
                      } finally {
                        heldOrRefused.countDown();
                      }
                    }))
            .limit(64)
            .toList();
    HeldBodies.await(heldOrRefused);

    assertThat(refused).hasPositiveValue();
    assertThat(posted(filter, "acme/ana", small())).isEqualTo(200);
    assertThat(posted(filter, "calm/ana", small())).isEqualTo(200);
    more.countDown();
    for (Thread body : bodies) {
      body.join();
    }
    assertThat(posted(filter, "acme/loud", small())).isEqualTo(200);
  }

  private static int posted(OverloadFilter filter, String caller, InputStream body) {
    MockHttpServletRequest request =
        new MockHttpServletRequest("POST", "/api/v1/clusters") {
          @Override
          public ServletInputStream getInputStream() {
            return new DelegatingServletInputStream(body) {
              @Override
              public int read(byte[] to, int offset, int length) throws IOException {
                return body.read(to, offset, length);
              }
            };
          }
        };
    request.addHeader("Transfer-Encoding", "chunked");
    request.setRemoteUser(caller);
    MockHttpServletResponse response = new MockHttpServletResponse();
    post(filter, request, response);
    return response.getStatus();
  }

  private static InputStream small() {
    return new ByteArrayInputStream(new byte[] {'{', '}'});
  }

  /** Fails when a stalled body is reported as malformed, so that its sender does not retry. */
  @Test
  void stalledBodyIsReportedToItsCaller() {
    OverloadFilter filter = filter(0, 1);
    IOException silent = new IOException(new SocketTimeoutException());
    InputStream body =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw silent;
          }

          @Override
          public int read(byte[] to, int offset, int length) throws IOException {
            throw silent;
          }
        };

    assertThat(posted(filter, "acme/ana", body)).isEqualTo(408);
  }

  /** Fails when a body's memory is released only after some of its possible failures. */
  @Test
  void unreadableBodyReleasesItsMemory() {
    OpenHandles room = new OpenHandles(2, "pieces");
    MockHttpServletRequest broken =
        new MockHttpServletRequest("POST", "/api/v1/clusters") {
          @Override
          public ServletInputStream getInputStream() {
            throw new IllegalStateException("the request was recycled");
          }
        };
    MockHttpServletRequest breaks =
        new MockHttpServletRequest("POST", "/api/v1/clusters") {
          @Override
          public ServletInputStream getInputStream() {
            return new DelegatingServletInputStream(
                new InputStream() {
                  @Override
                  public int read() {
                    throw new IllegalStateException("the connection was recycled");
                  }
                });
          }
        };
    for (MockHttpServletRequest request : List.of(broken, breaks)) {
      assertThatIllegalStateException()
          .isThrownBy(() ->
              BufferedBody.read(request, () -> room.enter("acme", "ana"), Duration.ofSeconds(1)));
    }

    assertThat(room.enter("acme", "ana")).isNotNull();
  }

  @Test
  void bodyIsRejectedByItsAnnouncedLengthAndOtherwiseArrivesInFull() throws Exception {
    OverloadFilter filter = filter(0, 1);
    MockHttpServletRequest large = new MockHttpServletRequest("POST", "/api/v1/clusters");
    large.addHeader("Transfer-Encoding", "chunked");
    large.setContent(new byte[(1 << 20) + 1]);
    MockHttpServletResponse refused = new MockHttpServletResponse();
    filter.doFilter(large, refused, ANSWERS);
    assertThat(refused.getStatus()).isEqualTo(413);

    MockHttpServletRequest small = new MockHttpServletRequest("POST", "/api/v1/clusters");
    byte[] body = "x".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
    small.setContent(body);
    AtomicReference<byte[]> seen = new AtomicReference<>();
    filter.doFilter(
        small,
        new MockHttpServletResponse(),
        (request, response) -> seen.set(request.getInputStream().readAllBytes()));
    assertThat(seen.get()).isEqualTo(body);
  }

  private static void post(
      OverloadFilter filter, MockHttpServletRequest request, MockHttpServletResponse response) {
    try {
      filter.doFilter(request, response, ANSWERS);
    } catch (ServletException | IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
