package dev.fairlead.kernel.openapi;

import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Principal;
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
import org.springdoc.core.properties.SwaggerUiConfigProperties;
import org.springdoc.core.properties.SwaggerUiOAuthProperties;
import org.springdoc.core.providers.ObjectMapperProvider;
import org.springdoc.core.providers.SpringDocProviders;
import org.springdoc.core.service.AbstractRequestService;
import org.springdoc.core.service.GenericResponseService;
import org.springdoc.core.service.OpenAPIService;
import org.springdoc.core.service.OperationService;
import org.springdoc.core.utils.SpringDocUtils;
import org.springdoc.webmvc.api.OpenApiWebMvcResource;
import org.springdoc.webmvc.ui.SwaggerIndexTransformer;
import org.springdoc.webmvc.ui.SwaggerWelcomeCommon;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the parts of the document that describe the API as a whole. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DocumentSettings.class)
class OpenApiConfiguration {
  static final String BEARER = "bearer";
  private static final String DESCRIPTION =
      "Submit jobs, see where they run or why they wait, and manage quotas and clusters. Bodies are"
          + " JSON or YAML. Every error is a problem document with a code, the path of the invalid"
          + " field, and the next step.";

  static {
    SpringDocUtils.getConfig()
        .addRequestWrapperToIgnore(Actor.class, Principal.class, WriteOptions.class);
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
                tag("Jobs", "Submit, follow, change and cancel jobs"),
                tag("Events", "Read events as pages or as a stream"),
                tag("Projects", "Projects, which own jobs"),
                tag("Secrets", "Secrets of a project for its jobs"),
                tag("Volumes", "Volumes, their copies and transfers"),
                tag("Quotas", "Quotas, limits and queues"),
                tag("Budgets", "Limits on GPU-hours and money"),
                tag("Usage", "GPU time and storage used"),
                tag("Statements", "Cost of projects, and savings"),
                tag("Prices", "Prices of GPU-hours and storage over time"),
                tag("Tenants", "Tenants, their members and their isolation"),
                tag("Tokens", "API tokens of users and programs"),
                tag("Clusters", "Worker clusters, nodes and advance reservations"),
                tag("Pools", "Named sets of nodes and their tenants"),
                tag("Health", "GPU faults, quarantines, repairs and lost members"),
                tag("Operations", "Progress of drains and other long operations"),
                tag("Licences", "Counted seats that jobs hold"),
                tag("Identities", "Cloud provider accounts that jobs use without a static key"),
                tag("Policies", "Rules for new jobs"),
                tag("Templates", "Job specs with parameters"),
                tag("Schedules", "Jobs that are submitted on a schedule"),
                tag("Webhooks", "Endpoints that receive events"),
                tag("Services", "Model services, their versions and rollouts"),
                tag("Audit", "Changes of configuration and denied requests"),
                tag("Service", "Version, diagnosis and settings of the service")))
        .components(
            new Components()
                .addSecuritySchemes(
                    BEARER,
                    new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme(BEARER)
                        .description(
                            "An API token (fl_...), an access token of the identity provider"
                                + " (fairlead.oidc.issuer), or the bootstrap token of the"
                                + " service (FAIRLEAD_BOOTSTRAP_TOKEN). Without a bootstrap"
                                + " token, the service needs no token on loopback. The listed"
                                + " roles may call the operation.")))
        .addSecurityItem(new SecurityRequirement()) // without a token, if the service requires none
        .addSecurityItem(new SecurityRequirement().addList(BEARER));
  }

  /** Replaces the bean of springdoc. */
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

  /** Replaces the bean of springdoc. */
  @Bean
  SwaggerIndexTransformer operationOrder(
      SwaggerUiConfigProperties settings,
      SwaggerUiOAuthProperties signIn,
      SwaggerWelcomeCommon welcome,
      ObjectMapperProvider mappers) {
    return new OperationOrder(settings, signIn, welcome, mappers);
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
