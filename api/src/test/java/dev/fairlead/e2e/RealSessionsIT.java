package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands and connections in processes of a real node, through API server and kubelet. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealSessionsIT {
  /** Answers each line on its loopback interface in capitals. */
  private static final String SERVER =
      """
      import socket
      server = socket.create_server(("127.0.0.1", 7000))
      print("ready")
      while True:
          peer = server.accept()[0]
          for line in peer.makefile():
              peer.sendall(line.upper().encode())
          peer.close()
      """;

  /** A server with its session file. Pages are in chunks, and WebSockets answer in capitals. */
  private static final String PAGES =
      """
      import base64, hashlib, http.server, json, os

      class Handler(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"

          def do_GET(self):
              key = self.headers.get("Sec-WebSocket-Key")
              if key is None:
                  text = f"page {self.path}".encode()
                  self.send_response(200)
                  self.send_header("Transfer-Encoding", "chunked")
                  self.end_headers()
                  self.wfile.write(b"%x\\r\\n%s\\r\\n0\\r\\n\\r\\n" % (len(text), text))
                  return
              guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
              accepted = base64.b64encode(hashlib.sha1((key + guid).encode()).digest()).decode()
              self.send_response(101)
              self.send_header("Upgrade", "websocket")
              self.send_header("Connection", "Upgrade")
              self.send_header("Sec-WebSocket-Accept", accepted)
              self.end_headers()
              _, length = self.rfile.read(2)
              mask = self.rfile.read(4)
              data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(length & 127)))
              self.wfile.write(bytes([0x81, len(data)]) + data.upper())
              self.close_connection = True

      server = http.server.ThreadingHTTPServer(("127.0.0.1", 7002), Handler)
      os.makedirs("/tmp/fairlead-session", exist_ok=True)
      with open("/tmp/fairlead-session/session.json", "w") as file:
          json.dump({"port": 7002, "path": "/"}, file)
      print("ready")
      server.serve_forever()
      """;

  private static final Duration LONGEST_TAKE = Duration.ofSeconds(2);
  private static RealFairlead real;
  private static String job;

  @BeforeAll
  static void aServerOnARealNode() {
    real = RealFairlead.shared();
    job = real.submit("", SERVER);
    real.awaitLog(job, "worker-0", "ready");
    assertThat(SessionSocketClient.refused(exec(""), SessionSocketClient.command("true")))
        .as("without the rights")
        .isEqualTo(409);
    real.cluster().plane().applies("deploy/cluster-exec.yaml");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          try {
            SessionSocketClient.open(exec(""), SessionSocketClient.command("true")).close();
            return true;
          } catch (java.util.concurrent.CompletionException notYet) {
            return false;
          }
        });
  }

  private static String exec(String query) {
    return real.base() + job + "/exec" + query;
  }

  /** Fails when the input has no end: {@code cat} would wait forever. */
  @Test
  void aCommandReadsItsInputToTheEnd() {
    SessionSocketClient session =
        SessionSocketClient.open(
            exec("?stdin=true"),
            SessionSocketClient.command("sh", "-c", "wc -c; echo bad >&2; exit 3"));
    for (int i = 0; i < 40; i++) {
      session.send(0, "x".repeat(50_000));
    }
    session.endOfInput();

    assertThat(session.awaitClose()).isEqualTo("1000");
    assertThat(session.text(1).strip()).isEqualTo("2000000");
    assertThat(session.text(2)).isEqualTo("bad\n");
    assertThat(session.text(3)).contains("\"message\":\"3\"");
  }

  @Test
  void terminalHasASizeAndEndsWithItsShell() {
    SessionSocketClient session =
        SessionSocketClient.open(exec("?stdin=true&tty=true"), SessionSocketClient.command("sh"));
    session.send(4, "{\"Width\": 97, \"Height\": 31}");
    session.send(0, "while ! stty size | grep 97; do sleep 0.1; done\n");
    session.awaitText(1, "31 97");
    session.send(0, "exit 5\n");

    assertThat(session.awaitClose()).isEqualTo("1000");
    assertThat(session.text(3)).contains("\"message\":\"5\"");
  }

  @Test
  void aPortOfTheLoopbackInterfaceIsReached() {
    SessionSocketClient session =
        SessionSocketClient.open(real.base() + job + "/port-forward?port=7000");
    session.send(0, "hello\n");
    session.awaitText(1, "HELLO");
    session.close();
  }

  @Test
  void unopenedPortIsReported() {
    SessionSocketClient session =
        SessionSocketClient.open(real.base() + job + "/port-forward?port=7001");
    session.send(0, "hello\n");
    session.awaitText(2, "refused");
  }

  /**
   * Fails when the service cannot serve a real server: a page in chunks, a connection that is used
   * again, and a WebSocket that passes port-forward byte by byte.
   */
  @Test
  void thePageOfAServerIsReachedThroughTheService() throws java.io.IOException {
    String session = real.submit("", PAGES);
    real.awaitLog(session, "worker-0", "ready");
    String id = session.substring(session.lastIndexOf('/') + 1);
    Http http = new Http(real.base());
    Http.Answer link = http.send("POST", session + "/session-links", null);
    assertThat(link.status()).as(link.body()).isEqualTo(201);
    java.net.URI url = java.net.URI.create(link.json().get("url").asString());
    RawBrowser browser = new RawBrowser(real.base(), url.getHost());
    String cookie =
        "Cookie: "
            + browser
                .get(url.getPath() + "?" + url.getQuery())
                .header("set-cookie")
                .split(";", 2)[0];

    for (int i = 0; i < 3; i++) {
      assertThat(browser.get("/" + i, cookie).body()).contains("page /" + i);
    }
    try (RawBrowser.Page page = browser.page("/socket", cookie)) {
      assertThat(page.status()).as(id).isEqualTo(101);
      assertThat(page.echo("hello")).isEqualTo("HELLO");
    }
  }

  /**
   * Fails when a user of a warm pool waits for a pod, or gets a process other than the ready one.
   * An agent's command returns its output within two seconds of the submit.
   */
  @Test
  void submitUsesTheRunningProcessOfAWarmPool() {
    Http http = new Http(real.base());
    String pool = "/api/v1/projects/default/warm-pools/shell";
    String spec =
        "image: localhost/job:1, cpu: 50m, memory: 128Mi, shm: 16Mi, launcher: ssh, run: [sleep,"
            + " '3600']";
    Http.Answer made =
        http.send("PUT", pool, "{members: 1, job: {" + spec + "}}", "Content-Type", Http.YAML);
    assertThat(made.status()).as(made.body()).isEqualTo(200);
    String members = "/api/v1/projects/default/jobs?state=RUNNING&name=shell-warm-1";
    await()
        .atMost(RealFairlead.PATIENCE)
        .until(() -> http.get(members).json().get("items").size() == 1);
    String member = "/api/v1/jobs/" + http.get(members).json().at("/items/0/id").asString();
    real.awaitLog(member, "worker-0", "session: ready");
    String pod = real.pod(member, 0);

    long submitted = System.nanoTime();
    Http.Answer taken = http.yaml("/api/v1/projects/default/jobs", "{name: mine, " + spec + "}");
    assertThat(taken.json().get("state").asString()).as(taken.body()).isEqualTo("RUNNING");
    String session = "/api/v1/jobs/" + taken.json().get("id").asString();
    SessionSocketClient shell =
        SessionSocketClient.open(
            real.base() + session + "/exec",
            SessionSocketClient.command("cat", "/tmp/fairlead-session/session.json"));
    assertThat(shell.awaitClose()).isEqualTo("1000");
    Duration answered = Duration.ofNanos(System.nanoTime() - submitted);
    System.out.printf(
        "sessions: a command in a member of a warm pool has ended %d ms after the submit%n",
        answered.toMillis());

    assertThat(answered).isLessThan(LONGEST_TAKE);
    assertThat(session).isEqualTo(member);
    assertThat(real.pod(session, 0)).isEqualTo(pod);
    assertThat(shell.text(1)).isEqualTo("{}");
    assertThat(http.send("DELETE", pool, null).status()).isEqualTo(204);
    await()
        .atMost(RealFairlead.PATIENCE)
        .until(
            () -> http.get(pool.substring(0, pool.lastIndexOf('/'))).json().get("items").isEmpty());
    real.cancel(session);
  }

  /** Fails when the end of the process leaves its sessions open. */
  @Test
  void sessionEndsWithItsMember() {
    String asleep =
        real.submit(
            "preemption: {gracePeriod: 1s}",
            "import time; print('up', flush=True); time.sleep(3600)");
    real.awaitLog(asleep, "worker-0", "up");
    SessionSocketClient session =
        SessionSocketClient.open(
            real.base() + asleep + "/exec?stdin=true", SessionSocketClient.command("sleep", "600"));
    real.cancel(asleep);
    assertThat(session.awaitClose()).isNotEmpty();
  }
}
