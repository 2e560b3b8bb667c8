package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.BufferedResponse;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.StreamReauthorization;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.workload.SessionRequest;
import dev.fairlead.work.workload.session.JobSessions;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.socket.WebSocketExtension;
import org.springframework.web.socket.server.HandshakeHandler;
import org.springframework.web.socket.server.standard.StandardWebSocketUpgradeStrategy;
import org.springframework.web.socket.server.support.AbstractHandshakeHandler;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Opens sessions in running members as web sockets. Everything is decided before the handshake, so
 * a refusal is a problem document as for any other operation.
 */
@RestController
@RequestMapping(path = ApiPaths.ROOT, version = ApiPaths.V1)
@Tag(name = "Jobs")
class SessionController {
  private static final String PROTOCOL = "v5.channel.k8s.io";
  private static final String WEBSOCKET = "websocket";
  private static final String COMMAND = "Fairlead-Command";
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int MOST_WORDS = 1_000;
  private static final int MOST_ELEMENTS = 10_000;
  private static final int MOST_PORT = 65_535;
  private static final String FRAMES =
      " The connection is a WebSocket with the subprotocol v5.channel.k8s.io, as in Kubernetes:"
          + " the first byte of each binary frame is its channel. Frames from the caller may"
          + " have at most 64 KiB. A handshake with the header Origin is refused, so pages in"
          + " browsers cannot open sessions.";
  private final JobSessions sessions;
  private final HandshakeHandler handshakes = new Handshakes();

  SessionController(JobSessions sessions) {
    this.sessions = sessions;
  }

  /** Accepts no extension: a small compressed frame could expand to a large one. */
  private static final class Handshakes extends AbstractHandshakeHandler {
    Handshakes() {
      super(new StandardWebSocketUpgradeStrategy());
      setSupportedProtocols(PROTOCOL);
    }

    @Override
    protected List<WebSocketExtension> filterRequestedExtensions(
        ServerHttpRequest request,
        List<WebSocketExtension> requested,
        List<WebSocketExtension> supported) {
      return List.of();
    }
  }

  @Operation(
      operationId = "execJob",
      summary = "Run a command in a running member",
      description =
          "Starts the command of the header Fairlead-Command, a JSON list of program and"
              + " arguments in base64url. It is not a query parameter, so access logs do not"
              + " contain it. The command runs in the container of the program, or in an init"
              + " container or sidecar named by container. Without stdin, the command reads"
              + " end-of-file. With tty, it has a terminal, whose size is sent on channel 4. The"
              + " last frame, on channel 3, contains the exit code."
              + FRAMES)
  @ApiResponse(responseCode = "101", description = "The session is open.")
  @GetMapping(path = "/jobs/{job}/exec")
  void exec(
      Actor actor,
      @PathVariable String job,
      @RequestHeader(name = COMMAND, required = false) @Nullable String command,
      @RequestParam(required = false) @Nullable String member,
      @RequestParam(required = false) @Nullable String container,
      @RequestParam(defaultValue = "0") int element,
      @RequestParam(defaultValue = "false") boolean stdin,
      @RequestParam(defaultValue = "false") boolean tty,
      HttpServletRequest http,
      HttpServletResponse response) {
    open(
        actor,
        job,
        new JobSessions.Request(member, container, element(element)),
        () -> new SessionRequest.Command(words(command), stdin, tty),
        http,
        response);
  }

  @Operation(
      operationId = "forwardJobPort",
      summary = "Connect to a port of a running member",
      description =
          "Opens one connection to a TCP port on the loopback interface of the member. Channel 0 "
              + "carries data to the port, channel 1 data from it, and channel 2 an error message."
              + FRAMES)
  @ApiResponse(responseCode = "101", description = "The session is open.")
  @GetMapping(path = "/jobs/{job}/port-forward")
  void forward(
      Actor actor,
      @PathVariable String job,
      @RequestParam int port,
      @RequestParam(required = false) @Nullable String member,
      @RequestParam(defaultValue = "0") int element,
      HttpServletRequest http,
      HttpServletResponse response) {
    open(
        actor,
        job,
        new JobSessions.Request(member, null, element(element)),
        () -> new SessionRequest.Port(Parameters.range("port", port, 1, MOST_PORT)),
        http,
        response);
  }

  private static List<String> words(@Nullable String header) {
    try {
      byte[] json = Base64.getUrlDecoder().decode(String.valueOf(header));
      List<String> words = List.of(JSON.readValue(json, String[].class));
      if (!words.isEmpty()
          && !words.getFirst().isEmpty()
          && words.size() <= MOST_WORDS
          && words.stream().noneMatch(word -> word.indexOf('\0') >= 0)) {
        return words;
      }
    } catch (IllegalArgumentException
        | NullPointerException
        | JacksonException unreadable) { // refused below
    }
    throw Parameters.refused(
        COMMAND,
        "must be a JSON list of 1 to 1000 words in base64url. The first word is the program");
  }

  private static int element(int given) {
    return Parameters.range("element", given, 0, MOST_ELEMENTS);
  }

  /** An unknown job is refused before a parameter, so that a refusal discloses nothing. */
  private void open(
      Actor actor,
      String job,
      JobSessions.Request request,
      Supplier<SessionRequest.Target> target,
      HttpServletRequest http,
      HttpServletResponse response) {
    JobSessions.Found found =
        sessions.find(actor, new JobId(ApiPaths.id(IdKind.JOB, job)), request);
    if (http.getHeader(HttpHeaders.ORIGIN) != null) {
      throw new Refusal(ProblemCode.FORBIDDEN, "A browser page cannot open a session.");
    }
    if (!WEBSOCKET.equalsIgnoreCase(http.getHeader(HttpHeaders.UPGRADE))) {
      throw Parameters.refused(HttpHeaders.UPGRADE, "must be websocket");
    }
    SessionSocket socket = new SessionSocket(StreamReauthorization.of(http));
    socket.of(sessions.open(found, target.get(), socket));
    BufferedResponse.inPieces(http);
    boolean opened = false;
    try {
      opened =
          handshakes.doHandshake(
              new ServletServerHttpRequest(http),
              new ServletServerHttpResponse(response),
              socket,
              Map.of());
    } finally {
      if (!opened) {
        socket.failed();
      }
    }
  }
}
