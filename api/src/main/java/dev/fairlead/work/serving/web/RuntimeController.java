package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.web.Page;
import dev.fairlead.work.serving.ModelRuntime;
import dev.fairlead.work.serving.ModelRuntimes;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Runtimes that model services can name. */
@RestController
@RequestMapping("/api/v1")
@Tag(name = "Services")
class RuntimeController {
  @Operation(
      operationId = "listRuntimes",
      summary = "List runtimes",
      description =
          "Lists the model servers that a service can name. A runtime sets the image, the"
              + " program, the port and the ready path of the replicas. An operator can add"
              + " runtimes.")
  @GetMapping("/runtimes")
  Page<ModelRuntime> runtimes() {
    return Page.whole(ModelRuntimes.all());
  }
}
