package dev.fairlead.work.publisher.web;

import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.BufferedResponse;
import dev.fairlead.kernel.web.EventResponse;
import dev.fairlead.kernel.web.Following;
import dev.fairlead.kernel.web.StreamReauthorization;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.publisher.service.EventReader;
import dev.fairlead.work.publisher.service.spi.TailedEvent;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes events in the format of server-sent events (WHATWG HTML, section 9.2), on the thread of
 * the request. A slow reader blocks the write, and the server's write timeout ends the stream.
 */
final class EventStream {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);
  private static final int LOOKS_BETWEEN_LINES =
      (int) HEARTBEAT.dividedBy(StreamReauthorization.LOOK);

  private EventStream() {}

  /** Headers of the stream. */
  static void begin(HttpServletResponse response) {
    response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
    response.setCharacterEncoding(StandardCharsets.UTF_8.name());
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Accel-Buffering", "no");
  }

  static void send(EventReader reader, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    begin(response);
    BufferedResponse.inPieces(request);
    OutputStream out = response.getOutputStream();
    try {
      alive(out, reader);
      int quietLooks = 0;
      Following following = new Following(request);
      for (Following.Next next = following.look();
          !reader.closed() && next != Following.Next.END;
          next = following.look()) {
        if (next == Following.Next.HOLD) {
          Thread.sleep(StreamReauthorization.LOOK);
          continue;
        }
        List<TailedEvent> events = reader.next(StreamReauthorization.LOOK);
        for (TailedEvent event : events) {
          out.write(event.written(EventStream::frame));
        }
        quietLooks = events.isEmpty() ? quietLooks + 1 : 0;
        if (quietLooks == LOOKS_BETWEEN_LINES) {
          quietLooks = 0;
          alive(out, reader);
        }
        out.flush();
      }
    } catch (Refusal expired) {
      out.write(frame("event: problem\n", ProblemWriter.of(request, expired)));
      out.flush();
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * A position without data: a client that reconnects resumes after it, even if events were
   * filtered out.
   */
  private static void alive(OutputStream out, EventReader reader) throws IOException {
    String id = "id: " + EventResponse.id(reader.position()) + "\n: here\n\n";
    out.write(id.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static byte[] frame(EventRecord event) {
    return frame("id: " + EventResponse.id(event.position()) + "\n", EventResponse.of(event));
  }

  /** JSON contains no line breaks, so it fits in one data line. */
  private static byte[] frame(String head, Object data) {
    return (head + "data: " + MAPPER.writeValueAsString(data) + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
