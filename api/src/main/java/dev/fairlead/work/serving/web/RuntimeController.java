package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.web.Page;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelRuntime;
import dev.fairlead.work.serving.ModelRuntimes;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Runtimes that model services can name. */
@RestController
@RequestMapping("/api/v1")
@Tag(name = "Services")
class RuntimeController {
  /**
   * A runtime of this installation. Its arguments may contain ${model}, ${name} and ${port}.
   *
   * @param name name for the field {@code runtime} of services
   * @param description description of the server
   * @param image default image, or null if the job must set one
   * @param run program and arguments, empty if the job sets them
   * @param models arguments for the address of the model, by its scheme
   * @param args arguments that follow the arguments of the model
   * @param env variables of the server
   * @param formats formats of models that it reads, empty for all
   * @param port default port
   * @param readyPath default ready path, or null if the service must set one
   * @param metric default metric of {@code scale}
   * @param metrics address and names of the server's own metrics, for dashboards
   * @param openAi whether the server is compatible with the OpenAI API, and serves one model with
   *     the name of the service
   * @param reserved options and variables that a service cannot set
   */
  @Schema(name = "RuntimeResponse")
  record RuntimeResponse(
      String name,
      String description,
      @Nullable String image,
      List<String> run,
      SortedMap<String, List<String>> models,
      List<String> args,
      SortedMap<String, String> env,
      List<String> formats,
      int port,
      @Nullable String readyPath,
      LoadTarget.Metric metric,
      SortedMap<String, String> metrics,
      boolean openAi,
      List<String> reserved) {
    static RuntimeResponse of(ModelRuntime runtime) {
      return new RuntimeResponse(
          runtime.name(),
          runtime.description(),
          runtime.image(),
          runtime.run(),
          runtime.models(),
          runtime.args(),
          runtime.env(),
          List.copyOf(runtime.formats()),
          runtime.port(),
          runtime.readyPath(),
          runtime.metric(),
          runtime.metrics(),
          runtime.openAi(),
          List.copyOf(runtime.reserved()));
    }
  }

  @Operation(
      operationId = "listRuntimes",
      summary = "List runtimes",
      description =
          "Lists the model servers that a service can name. A runtime fills the image, the program,"
              + " the port and the ready path of the replicas. An operator can add runtimes.")
  @GetMapping("/runtimes")
  Page<RuntimeResponse> runtimes() {
    return Page.whole(ModelRuntimes.all().stream().map(RuntimeResponse::of).toList());
  }
}
