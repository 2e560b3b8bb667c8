package dev.fairlead.kernel.errors;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/**
 * Turns Tomcat's own refusals (an unreadable request line or header) into problem documents instead
 * of its HTML page.
 */
public class ProblemValve extends ErrorReportValve {
  @Override
  protected void report(Request request, Response response, @Nullable Throwable throwable) {
    int status = response.getStatus();
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    try {
      ProblemWriter.write(
          request.getRequest(), response.getResponse(), HttpStatusProblem.of(status));
    } catch (IOException e) {
      containerLog("the caller disconnected before its error was written");
    }
  }

  private void containerLog(String message) {
    getContainer().getLogger().debug(message);
  }
}
