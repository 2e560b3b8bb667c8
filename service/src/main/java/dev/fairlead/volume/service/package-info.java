/** Asking for storage in projects. */
@NullMarked
package dev.fairlead.volume.service;

import org.jspecify.annotations.NullMarked;
