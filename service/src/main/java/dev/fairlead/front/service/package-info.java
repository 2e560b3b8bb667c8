/** Front clusters: which namespaces are mapped, and what becomes of their Jobs. */
@NullMarked
package dev.fairlead.front.service;

import org.jspecify.annotations.NullMarked;
