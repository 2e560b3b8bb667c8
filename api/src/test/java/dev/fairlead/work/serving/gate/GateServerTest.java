package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** The directory of the server of the gate. */
class GateServerTest {
  private static final GateSettings SETTINGS =
      new GateSettings(
          0,
          1,
          1,
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          DataSize.ofKilobytes(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          Duration.ofMinutes(15));

  /** Remembers the directory of its server. */
  private static final class Looks extends HttpServlet {
    private static final long serialVersionUID = 1;
    private final transient AtomicReference<File> directory = new AtomicReference<>();

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
      directory.set((File) request.getServletContext().getAttribute(ServletContext.TEMPDIR));
    }
  }

  /** Fails when each start of a gate leaves a directory behind. */
  @Test
  void directoryOfTheServerIsDeletedWithIt() throws Exception {
    Looks servlet = new Looks();
    try (GateServer gate =
            new GateServer(SETTINGS, servlet, new ClientConnections(), new WaitingRoom(SETTINGS));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gate.port())) {
      socket
          .getOutputStream()
          .write(GateScene.request("GET /", "", "").getBytes(StandardCharsets.UTF_8));
      assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
      assertThat(servlet.directory.get()).exists();
    }
    File ofGate = servlet.directory.get();
    while (!ofGate.getName().startsWith("fairlead-gate")) {
      ofGate = ofGate.getParentFile();
    }
    assertThat(ofGate).doesNotExist();
  }
}
