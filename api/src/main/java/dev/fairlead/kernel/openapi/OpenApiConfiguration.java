package dev.fairlead.kernel.openapi;

import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.info.License;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import io.swagger.v3.oas.models.tags.Tag;
import java.util.List;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springdoc.core.customizers.SpringDocCustomizers;
import org.springdoc.core.properties.SpringDocConfigProperties;
import org.springdoc.core.providers.SpringDocProviders;
import org.springdoc.core.service.AbstractRequestService;
import org.springdoc.core.service.GenericResponseService;
import org.springdoc.core.service.OpenAPIService;
import org.springdoc.core.service.OperationService;
import org.springdoc.core.utils.SpringDocUtils;
import org.springdoc.webmvc.api.OpenApiWebMvcResource;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the document says of the API as a whole. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DocumentSettings.class)
class OpenApiConfiguration {
  static final String BEARER = "bearer";
  private static final String DESCRIPTION =
      "Submit jobs, see where they run or why they wait, and manage quotas and clusters. Bodies are JSON or YAML; every "
          + "error is a problem document with a code, the location of the error, and the next step.";

  static {
    SpringDocUtils.getConfig().addRequestWrapperToIgnore(Actor.class, WriteOptions.class);
  }

  @Bean
  OpenAPI openApi() {
    return new OpenAPI()
        .info(
            new Info()
                .title("Fairlead")
                .version("v1")
                .description(DESCRIPTION)
                .license(new License().name("Apache-2.0").identifier("Apache-2.0")))
        .servers(List.of(new Server().url("/").description("This server")))
        .tags(
            List.of(
                tag("Jobs", "What people run"),
                tag("Events", "What happened, as pages and as a stream"),
                tag("Tenants", "Tenants and projects with their isolation, and their members"),
                tag("Projects", "Who owns jobs"),
                tag("Quotas", "Quotas and queues"),
                tag("Clusters", "Where jobs run"),
                tag("Health", "Faults of GPUs and nodes, quarantines and repairs"),
                tag("Pools", "Named sets of nodes, and their owners"),
                tag("Licences", "Counted things that jobs hold and no node has"),
                tag("Webhooks", "Addresses that get events"),
                tag("Prices", "Price per GPU-hour, with history"),
                tag("Tokens", "Credentials of people and programs for API calls"),
                tag("Audit", "Changes and denied requests"),
                tag("Operations", "Drains, and how far they are"),
                tag("Service", "The service itself")))
        .components(
            new Components()
                .addSecuritySchemes(
                    BEARER,
                    new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme(BEARER)
                        .description(
                            "An API token (fl_...), an access token of the identity provider (fairlead.oidc.issuer), or the "
                                + "token from the start of the service (FAIRLEAD_BOOTSTRAP_TOKEN). No token is needed if the "
                                + "service was started without one, on loopback. Each operation lists the roles that may call it.")))
        .addSecurityItem(new SecurityRequirement()) // without a token, where the service has none
        .addSecurityItem(new SecurityRequirement().addList(BEARER));
  }

  /** In the place of springdoc's own. */
  @Bean
  OpenApiWebMvcResource oneDocument(
      ObjectFactory<OpenAPIService> builders,
      AbstractRequestService requests,
      GenericResponseService responses,
      OperationService operations,
      SpringDocConfigProperties settings,
      SpringDocProviders providers,
      SpringDocCustomizers customizers) {
    return new OneDocument(
        builders, requests, responses, operations, settings, providers, customizers);
  }

  private static Tag tag(String name, String description) {
    return new Tag().name(name).description(description);
  }

  @Bean
  OperationCustomizer writeParameters() {
    return new WriteParameters();
  }

  @Bean
  ModelConverter recordSchemas() {
    return new RecordSchemas();
  }

  @Bean
  OpenApiCustomizer completeOperations(DocumentSettings settings) {
    OpenApiCustomizer complete = new OperationDocuments();
    if (!settings.signsIn()) {
      return complete;
    }
    return document -> {
      complete.customise(document);
      new SignInDocument(settings.issuer()).customise(document);
    };
  }
}
