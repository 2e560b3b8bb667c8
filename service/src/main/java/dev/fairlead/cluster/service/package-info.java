/** Use cases of clusters, nodes and capacity. */
@NullMarked
package dev.fairlead.cluster.service;

import org.jspecify.annotations.NullMarked;
