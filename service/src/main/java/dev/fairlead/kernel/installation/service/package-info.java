/**
 * Use cases of the installation: its identity, and the declaration that its database is the live
 * one.
 */
@NullMarked
package dev.fairlead.kernel.installation.service;

import org.jspecify.annotations.NullMarked;
