/** Front clusters: mapped namespaces and the handling of their Jobs. */
@NullMarked
package dev.fairlead.front.service;

import org.jspecify.annotations.NullMarked;
