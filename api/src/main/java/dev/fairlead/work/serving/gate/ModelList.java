package dev.fairlead.work.serving.gate;

import dev.fairlead.work.serving.service.GatedService;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;

/**
 * Answers the model list of the OpenAI API for services with OpenAI-compatible servers, and does
 * not wake a service that sleeps. All versions of a service serve one model with the service's
 * name.
 */
final class ModelList {
  private static final String PATH = "/v1/models";

  private ModelList() {}

  /** Responds to requests for the list or one of its models, and returns whether it did. */
  static boolean answered(
      HttpServletRequest request, HttpServletResponse response, GatedService service)
      throws IOException {
    Instant since = service.modelSince();
    String path = request.getRequestURI();
    boolean one = path.startsWith(PATH + "/");
    if (since == null || !request.getMethod().equals("GET") || !one && !path.equals(PATH)) {
      return false;
    }
    String name = service.settings().name();
    String model =
        "{\"id\":\"%s\",\"object\":\"model\",\"created\":%d,\"owned_by\":\"%s\"}"
            .formatted(name, since.getEpochSecond(), service.settings().project());
    if (!one) {
      GateAnswers.json(response, "{\"object\":\"list\",\"data\":[%s]}".formatted(model));
    } else if (path.equals(PATH + "/" + name)) {
      GateAnswers.json(response, model);
    } else {
      GateAnswers.noModel(response, name);
    }
    return true;
  }
}
