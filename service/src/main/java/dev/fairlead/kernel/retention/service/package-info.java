/** Keeps the hot tables small. */
@NullMarked
package dev.fairlead.kernel.retention.service;

import org.jspecify.annotations.NullMarked;
