/** Keeps the hot tables small. */
@NullMarked
package dev.fairlead.retention.service;

import org.jspecify.annotations.NullMarked;
