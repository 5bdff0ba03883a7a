/*
 * JDBC's arm of the suite `postgres`, in one file that `java` runs as it is, the driver's jar on its class path.
 *
 * postgres_jdbc.java CELL URL SQL    takes a request a line and answers each with a line of JSON. `run MS` runs SQL over a
 * connection that it keeps again and again for at least that time, and reads every column of every row; CELL connect makes
 * a new connection each time. `dump FILE` writes rows as lines of fields with tabs between them.
 */

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Properties;

class PostgresJdbc {
  /** Rows of one round trip: half of it and twice as many take 1M rows of nine columns no faster. */
  private static final String FETCH_SIZE = "10000";

  private static String url;
  private static String sql;
  /** What was read, so that no read can be left out. */
  private static long sink;

  public static void main(String[] args) throws Exception {
    String cell = args[0];
    url = args[1];
    sql = args[2];
    boolean connects = cell.equals("connect");
    Connection kept = connects ? null : connect();
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = requests.readLine()) != null; ) {
      String[] words = line.split(" ", 2);
      if (words[0].equals("dump")) {
        Connection connection = connects ? connect() : kept;
        System.out.println(dump(connection, Path.of(words[1])));
        if (connects) connection.close();
        continue;
      }
      // The clock of processor time ticks every 10 ms.
      double leastMs = words[1].equals("0") ? 0 : Math.max(Double.parseDouble(words[1]), 200);
      int iterations = 0;
      long rows;
      long cpu = system.getProcessCpuTime();
      long start = System.nanoTime();
      double elapsedMs;
      do {
        if (connects) {
          try (Connection connection = connect()) {
            rows = read(connection);
          }
        } else {
          rows = read(kept);
        }
        iterations++;
        elapsedMs = (System.nanoTime() - start) / 1e6;
      } while (elapsedMs < leastMs);
      double cpuMs = (system.getProcessCpuTime() - cpu) / 1e6;
      System.out.printf(
          java.util.Locale.ROOT,
          "{\"iterations\":%d,\"elapsedMs\":%f,\"cpuMs\":%f,\"rows\":%d,\"sink\":\"%d\"}%n",
          iterations, elapsedMs, cpuMs, rows, sink);
    }
  }

  private static Connection connect() throws Exception {
    Properties properties = new Properties();
    properties.setProperty("defaultRowFetchSize", FETCH_SIZE);
    // Binary from the first execution on.
    properties.setProperty("prepareThreshold", "-1");
    Connection connection = DriverManager.getConnection(url, properties);
    // Rows come in pieces only within a transaction.
    connection.setAutoCommit(false);
    return connection;
  }

  /** Column types, as far as the suite has them. */
  private static int[] typesOf(ResultSet rows) throws Exception {
    ResultSetMetaData about = rows.getMetaData();
    int[] types = new int[about.getColumnCount()];
    for (int i = 0; i < types.length; i++) {
      types[i] =
          switch (about.getColumnTypeName(i + 1)) {
            case "int4" -> 0;
            case "int8" -> 1;
            case "float4" -> 2;
            case "float8" -> 3;
            case "numeric" -> 4;
            case "text" -> 5;
            case "bool" -> 6;
            case "date" -> 7;
            case "timestamp" -> 8;
            case "timestamptz" -> 9;
            default -> throw new IllegalArgumentException(about.getColumnTypeName(i + 1));
          };
    }
    return types;
  }

  private static long read(Connection connection) throws Exception {
    long count = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      int[] types = typesOf(rows);
      long sum = 0;
      while (rows.next()) {
        count++;
        for (int i = 0; i < types.length; ) {
          int type = types[i++];
          switch (type) {
            case 0 -> sum += rows.getInt(i);
            case 1 -> sum += rows.getLong(i);
            case 2 -> sum += (long) rows.getFloat(i);
            case 3 -> sum += (long) rows.getDouble(i);
            case 4 -> sum += rows.getBigDecimal(i).signum();
            case 5 -> sum += rows.getString(i).length();
            case 6 -> sum += rows.getBoolean(i) ? 1 : 0;
            case 7 -> sum += rows.getObject(i, LocalDate.class).getDayOfMonth();
            case 8 -> sum += rows.getObject(i, LocalDateTime.class).getSecond();
            default -> sum += rows.getObject(i, OffsetDateTime.class).getSecond();
          }
        }
      }
      sink += sum;
    }
    connection.commit();
    return count;
  }

  private static long dump(Connection connection, Path path) throws Exception {
    long count = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery();
        BufferedWriter out = Files.newBufferedWriter(path)) {
      int[] types = typesOf(rows);
      while (rows.next()) {
        count++;
        for (int i = 0; i < types.length; ) {
          if (i > 0) out.write('\t');
          int type = types[i++];
          out.write(
              switch (type) {
                case 0 -> Integer.toString(rows.getInt(i));
                case 1 -> Long.toString(rows.getLong(i));
                case 2 -> Float.toString(rows.getFloat(i));
                case 3 -> Double.toString(rows.getDouble(i));
                case 4 -> rows.getBigDecimal(i).toPlainString();
                case 5 -> rows.getString(i);
                case 6 -> Boolean.toString(rows.getBoolean(i));
                case 7 -> Long.toString(rows.getObject(i, LocalDate.class).toEpochDay());
                case 8 -> micros(rows.getObject(i, LocalDateTime.class).atOffset(ZoneOffset.UTC));
                default -> micros(rows.getObject(i, OffsetDateTime.class));
              });
        }
        out.write('\n');
      }
    }
    connection.commit();
    return count;
  }

  private static String micros(OffsetDateTime instant) {
    return Long.toString(instant.toEpochSecond() * 1_000_000 + instant.getNano() / 1000);
  }
}
