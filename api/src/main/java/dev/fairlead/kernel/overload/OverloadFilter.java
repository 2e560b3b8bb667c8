package dev.fairlead.kernel.overload;

import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.BufferedResponse;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Responds 429 with {@code Retry-After} if a caller or its tenant has spent its budget of reads or
 * of changes, or if the queue of requests is so long that another one would wait too long. Requests
 * with a place and lookups of callers always find database connections, because loops use a
 * separate pool. A stream holds a place until it begins. A caller that does not read its responses
 * receives no further ones.
 */
final class OverloadFilter extends OncePerRequestFilter {
  private static final Duration LONGEST_BODY = Duration.ofSeconds(20);
  private static final Pattern STREAMED =
      Pattern.compile(Pattern.quote(ApiPaths.ROOT) + "/projects/[^/]+/workdirs/[^/]+");

  private static final Duration UNREAD = Duration.ofSeconds(1);
  private final RequestBudgets budgets;
  private final Places places;
  private final UnreadAnswers answers = new UnreadAnswers();
  private final OpenHandles room = BufferedBody.room();
  private final Duration longestWait;
  private final MeterRegistry metrics;

  OverloadFilter(
      RequestBudgets budgets, int concurrent, Duration longestWait, MeterRegistry metrics) {
    this.budgets = budgets;
    this.places = places(concurrent, longestWait);
    this.longestWait = longestWait;
    this.metrics = metrics;
  }

  /**
   * A caller may use half of the places for reads, half for changes, and two thirds for both. Its
   * tenant may use all but a sixth, regardless of its number of service accounts.
   */
  private static Places places(int concurrent, Duration longestWait) {
    return new Places(
        concurrent,
        longestWait,
        concurrent / 2,
        concurrent * 2 / 3,
        concurrent - Math.max(1, concurrent / 6));
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String kind = RequestBudgets.kind(request);
    Duration wait = budgets.spend(caller(request) + kind);
    if (wait.isPositive()) {
      refuse(request, response, wait, "budget", "This caller has sent too many requests.");
      return;
    }
    RequestBudgets.Refused spent;
    try {
      spent = budgets.spendOfTenant(tenant(request), kind);
    } catch (Refusal unread) {
      ProblemWriter.write(request, response, unread);
      return;
    }
    if (spent != null) {
      refuse(request, response, spent.pause(), "tenant", spent.why());
      return;
    }
    if (BufferedBody.isSent(request) && !isStreamed(request)) {
      withBody(request, response, chain);
    } else {
      inPlace(request, response, chain);
    }
  }

  /** Returns whether the operation reads its body piece by piece, within separate limits. */
  private static boolean isStreamed(HttpServletRequest request) {
    return request.getMethod().equals("PUT") && STREAMED.matcher(request.getRequestURI()).matches();
  }

  /**
   * A body is read before a permit is taken, because a slow body would occupy the permit. Each
   * caller has a share of the memory for bodies while its bodies are read and processed.
   */
  private void withBody(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    BufferedBody whole;
    try {
      whole =
          BufferedBody.read(
              request, () -> room.enter(tenant(request), caller(request)), LONGEST_BODY);
    } catch (Refusal refused) {
      metrics.counter(Metric.API_REFUSED.meter(), Metric.API_REFUSED.tags("body")).increment();
      ProblemWriter.write(request, response, refused);
      return;
    }
    try (whole) {
      inPlace(whole, response, chain);
    }
  }

  private void inPlace(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String caller = caller(request);
    String tenant = tenant(request);
    if (answers.tooMany(tenant, caller)) {
      refuse(
          request,
          response,
          UNREAD,
          "answers",
          "This caller or its tenant has not finished reading earlier responses.");
      return;
    }
    Places.Held place = places.enter(caller + RequestBudgets.kind(request), caller, tenant);
    if (place == null) {
      refuse(request, response, longestWait, "busy", "The service is busy.");
      return;
    }
    UnreadAnswers.Answer answer = answers.begun(tenant, caller);
    BufferedResponse.set(request, answer::close);
    try (RequestPermit held = new RequestPermit(response, place, answer)) {
      chain.doFilter(request, held);
    }
  }

  /**
   * Charges the caller for every request: a path can name projects that the caller cannot read or
   * that do not exist. A project is charged later, for admitted requests.
   */
  private static String caller(HttpServletRequest request) {
    return String.valueOf(request.getRemoteUser());
  }

  /**
   * Returns the caller's tenant, the prefix of its name. An administrator without an account has
   * none.
   */
  private static String tenant(HttpServletRequest request) {
    return caller(request).split("/", 2)[0];
  }

  private void refuse(
      HttpServletRequest request,
      HttpServletResponse response,
      Duration wait,
      String why,
      String what)
      throws IOException {
    metrics.counter(Metric.API_REFUSED.meter(), Metric.API_REFUSED.tags(why)).increment();
    ProblemWriter.write(request, response, RequestBudgets.refused(wait, what, response));
  }
}
