/**
 * Access to an API server: accepted kubeconfig fields and addresses, TLS, and the client for all
 * calls.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes.client;

import org.jspecify.annotations.NullMarked;
