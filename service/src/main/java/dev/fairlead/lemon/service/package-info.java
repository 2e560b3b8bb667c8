/** Reads what speaks against nodes. */
@NullMarked
package dev.fairlead.lemon.service;

import org.jspecify.annotations.NullMarked;
