# Fairlead's image from the jar that the build has made: make image.
# BASE is any image with a Java 25 runtime on its path.
ARG BASE=eclipse-temurin:25-jre

FROM ${BASE} AS layers
WORKDIR /build
COPY api/target/fairlead-api-*-exec.jar fairlead.jar
RUN java -Djarmode=tools -jar fairlead.jar extract --layers --destination layers

FROM ${BASE}
LABEL org.opencontainers.image.title="Fairlead" \
      org.opencontainers.image.description="Control plane for AI compute"
# where a volume for the key file goes: a new volume takes over the owner
RUN install -d -m 700 -o 10001 -g 10001 /var/lib/fairlead
WORKDIR /opt/fairlead
# what changes seldom comes first: an upgrade transfers the last layers only
COPY --from=layers /build/layers/dependencies/ ./
COPY --from=layers /build/layers/snapshot-dependencies/ ./
COPY --from=layers /build/layers/application/ ./
# A start without a database: it ends, with a stack trace, at the first question to it, and the classes that were loaded
# and linked until then are the cache. One that ended much earlier leaves a small cache and fails the build.
RUN java -Xlog:disable -Xlog:all=error:stderr -XX:AOTCacheOutput=fairlead.aot \
      -Dspring.context.exit=onRefresh \
      -Dspring.flyway.enabled=false \
      -Dspring.jpa.database-platform=org.hibernate.dialect.PostgreSQLDialect \
      -Dspring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false \
      -jar fairlead.jar; \
    rm -rf /tmp/* && test "$(stat -c %s fairlead.aot)" -gt 80000000

# Reachable from outside of the container, so the service refuses to start without FAIRLEAD_BOOTSTRAP_TOKEN.
ENV FAIRLEAD_BIND=0.0.0.0
EXPOSE 8080 8081
# Written to all the time; the root file system may be read-only.
VOLUME /tmp
USER 10001:10001
# Further options of the JVM: JDK_JAVA_OPTIONS.
ENTRYPOINT ["java", "-XX:AOTCache=/opt/fairlead/fairlead.aot", "-XX:MaxRAMPercentage=70", "-XX:+ExitOnOutOfMemoryError", "-jar", "/opt/fairlead/fairlead.jar"]
