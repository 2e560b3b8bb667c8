package dev.fairlead.work.workload.web.page;

import dev.fairlead.kernel.errors.DatabaseTrouble;
import dev.fairlead.kernel.errors.HttpStatusProblem;
import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.errors.RequestIds;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.CallerProofs;
import dev.fairlead.kernel.web.StreamReauthorization;
import dev.fairlead.work.workload.session.BrowserSession;
import dev.fairlead.work.workload.session.BrowserSessions;
import dev.fairlead.work.workload.session.SessionPass;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Serves the hosts of sessions. The host decides. Pages of sessions never share an origin with the
 * API or the console, and the API and the console are not served on session hosts. Each request is
 * authorised by the cookie of its host.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 2)
class PageFilter extends OncePerRequestFilter {
  private static final String OPEN_AGAIN =
      "Open the session with fairlead notebook open --web, or in the console.";
  private final BrowserSessions sessions;
  private final CallerProofs proofs;

  PageFilter(BrowserSessions sessions, CallerProofs proofs) {
    this.sessions = sessions;
    this.proofs = proofs;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Optional<URI> address =
        sessions.address().filter(configured -> PageHost.covers(configured, request));
    if (address.isEmpty()) {
      chain.doFilter(request, response);
      return;
    }
    try {
      PageHost host = PageHost.of(address.get(), request).orElseThrow(PageFilter::missing);
      if (request.getRequestURI().equals(BrowserSessions.ENTER)) {
        enter(host, request, response);
      } else {
        serve(host, request, response);
      }
    } catch (Refusal refused) {
      ProblemWriter.write(request, response, refused);
    } catch (RuntimeException away) {
      if (!DatabaseTrouble.in(away)) {
        throw away;
      }
      ProblemWriter.write(request, response, HttpStatusProblem.of(503));
    }
  }

  /** The link of this service becomes a cookie of the host, and leaves the address. */
  private void enter(PageHost host, HttpServletRequest request, HttpServletResponse response) {
    String token = request.getParameter("pass");
    SessionPass pass =
        (token == null ? Optional.<SessionPass>empty() : sessions.linked(token))
            .orElseThrow(() -> unauthenticated("This link has expired. "));
    require(pass, host, request);
    requireOwn(host, request);
    response.setHeader("Set-Cookie", host.setCookie(sessions.cookie(pass)));
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Location", pass.page());
    response.setStatus(HttpServletResponse.SC_SEE_OTHER);
  }

  private void serve(PageHost host, HttpServletRequest request, HttpServletResponse response)
      throws IOException, ServletException {
    String cookie = host.sent(request);
    SessionPass pass =
        (cookie == null ? Optional.<SessionPass>empty() : sessions.remembered(cookie))
            .orElseThrow(() -> unauthenticated(""));
    require(pass, host, request);
    requireOwn(host, request);
    if (sessions.ages(pass)) {
      response.addHeader("Set-Cookie", host.setCookie(sessions.cookie(pass)));
    }
    BrowserSession session =
        sessions.of(pass, RequestIds.origin(request), standing(pass, request.getRemoteAddr()));
    new PageExchange(session, host, pass.port(), request, response).run();
  }

  private BooleanSupplier standing(SessionPass pass, String address) {
    return StreamReauthorization.patient(() -> proofs.stand(pass.proof(), address));
  }

  private void require(SessionPass pass, PageHost host, HttpServletRequest request) {
    if (!pass.job().equals(host.job())) {
      throw missing();
    }
    if (!proofs.stand(pass.proof(), request.getRemoteAddr())) {
      throw unauthenticated("Your access has ended or changed. ");
    }
  }

  private static void requireOwn(PageHost host, HttpServletRequest request) {
    if (!host.own(request)) {
      throw new Refusal(
          ProblemCode.FORBIDDEN, "A page of another site or session has sent this request.");
    }
  }

  private static Refusal missing() {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "There is no such session. This host serves sessions only (fairlead.sessions.url).");
  }

  private static Refusal unauthenticated(String why) {
    return new Refusal(ProblemCode.UNAUTHENTICATED, why + OPEN_AGAIN);
  }
}
