package dev.fairlead.work.serving.gate;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;

/** The connections of the clients of the gate, which shows whether a client has left. */
final class ClientConnections extends NioEndpoint {
  private final Map<String, ClientChannel> open = new ConcurrentHashMap<>();

  @Override
  protected NioChannel createChannel(SocketBufferHandler buffer) {
    return new ClientChannel(buffer, open);
  }

  /**
   * Returns whether the client of a request has closed its connection, see {@link
   * ClientChannel#left}.
   */
  boolean left(HttpServletRequest request) {
    ClientChannel channel = open.get(request.getServletConnection().getConnectionId());
    return channel == null || channel.left();
  }
}
